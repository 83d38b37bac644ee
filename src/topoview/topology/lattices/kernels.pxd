from topoview.base.kinds cimport *
