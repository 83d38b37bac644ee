from topoview.base.kinds cimport *
from topoview.base.ordering cimport search_right
