"""Names of the stages in which several modules have a part."""

from typing import Final

READING: Final = "reading the ranks' calls"
NAMING: Final = "naming conditions"
MERGING: Final = "merging groups of ranks"
