"""Docstrings begin with a verb that says what a function does."""

import ast
from pathlib import Path

import topoview

VAGUE = {
    *("Be", "Come", "Do", "Give", "Hand", "Have", "Make"),
    *("Say", "See", "Stand", "Take", "Tell"),
}
"""Each stands for Return, Compute, Find, Write, Show, Create, ...: which one?"""


def test_first_verbs_say_what_is_done() -> None:
    """`D401` of ruff sees to it that they are imperatives."""
    vague = []
    for path in sorted(Path(topoview.__file__).parent.rglob("*.py")):
        for node in ast.walk(ast.parse(path.read_text())):
            if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
                words = (ast.get_docstring(node) or "-").split()
                if words[0].strip(".,:;") in VAGUE or words[:2] == ["Go", "through"]:
                    vague.append(f"{path.name}:{node.lineno}: {' '.join(words[:6])}")
    assert vague == []
