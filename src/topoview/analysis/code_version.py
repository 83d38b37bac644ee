"""Which code has computed what is kept: nobody has to count versions."""

import hashlib
from functools import cache
from pathlib import Path
from typing import Final

from topoview.io.store.key import reader_version

_FOLDERS: Final = ("analysis", "logical", "topology")
_ROOT: Final = Path(__file__).parents[1]


@cache
def code_version() -> str:
    """Digest of the source code that reads and analyses traces."""
    digest = hashlib.sha256(reader_version().encode())
    own = [file for folder in _FOLDERS for file in (_ROOT / folder).rglob("*.py")]
    for file in sorted((*own, *_ROOT.glob("*.py"))):  # those beside are used by all
        digest.update(str(file.relative_to(_ROOT)).encode())
        digest.update(file.read_bytes())
    return digest.hexdigest()
