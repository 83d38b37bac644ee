"""Docstrings begin with a verb that says what is done."""

import re
from pathlib import Path

import topoview

VAGUE = {
    *("Be", "Come", "Do", "Give", "Hand", "Have", "Make"),
    *("Say", "See", "Stand", "Take", "Tell"),
}
"""Each stands for Return, Compute, Find, Write, Show, Create, ...: which one?"""


FIRST_WORDS = re.compile(r'^ +"""(\w+)(?: (\w+))?', re.MULTILINE)


def test_first_verbs_say_what_is_done() -> None:
    """`D401` of ruff sees to it that those of functions are imperatives."""
    vague = []
    for path in sorted(Path(topoview.__file__).parent.rglob("*.py")):
        for words in FIRST_WORDS.findall(path.read_text(encoding="utf-8")):
            if words[0] in VAGUE or words == ("Go", "through"):
                vague.append(f"{path.name}: {' '.join(words)}")
    assert vague == []
