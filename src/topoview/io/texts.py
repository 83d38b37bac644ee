"""Texts of an archive, made fit for a line of text."""

import re
from typing import Final

_CONTROL: Final = re.compile("[\x00-\x1f\x7f-\x9f\u2028\u2029]")
"""Control characters, and what else ends a line."""


def text_of(raw: bytes) -> str:
    r"""Decode a text; what would break or hide a line of it is spelt: ``\n``, ``\x1b``.

    Bytes that are no UTF-8 become U+FFFD.
    """
    return _CONTROL.sub(_spelt, raw.decode(errors="replace"))


def _spelt(found: re.Match[str]) -> str:
    return found[0].encode("unicode_escape").decode("ascii")
