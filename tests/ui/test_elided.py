"""Lines of text where there is little room."""

import pytest
from PySide6.QtGui import QFontMetricsF
from pytestqt.qtbot import QtBot

from topoview.ui.widgets.controls import ChoiceBox, ElidedLabel, leading_clauses


@pytest.mark.parametrize(
    ("text", "found"),
    [
        (
            "35 ranks waited, 1,85 s in all; 1 hop per iteration.",
            ["35 ranks waited, 1,85 s in all", "35 ranks waited"],
        ),
        ("found in 919 ms", []),
        ("", []),
    ],
)
def test_a_clause_is_shown_as_a_whole_or_not(text: str, found: list[str]) -> None:
    assert leading_clauses(text) == [text, *found]


def test_what_has_room_is_drawn(qtbot: QtBot) -> None:
    """Cut text looks as the clauses that fit do: the same pixels."""
    pictures = []
    for text in ("36 ranks, by distance from rank 14", "36 ranks"):
        label = ElidedLabel(padding=0)
        qtbot.addWidget(label)
        label.setText(text)
        wide = QFontMetricsF(label.font()).horizontalAdvance("36 ranks, by dist")
        label.resize(int(wide), 20)
        pictures.append(label.grab().toImage())
    assert pictures[0] == pictures[1]


def test_a_few_letters_are_not_drawn(qtbot: QtBot) -> None:
    """A clause of which less than a word would be left is left out."""
    pictures = []
    for text in ("", "identified"):
        label = ElidedLabel(padding=0)
        qtbot.addWidget(label)
        label.setText(text)
        wide = QFontMetricsF(label.font()).horizontalAdvance("ident")
        label.resize(int(wide), 20)
        pictures.append(label.grab().toImage())
    assert pictures[0] == pictures[1]


def test_a_box_says_where_its_text_is_cut(qtbot: QtBot) -> None:
    """``all 60`` does not look as ``all 6`` does where there is no more room."""
    pictures = []
    for text in ("Binary: all 60 pairs", "Binary: all 6"):
        box = ChoiceBox("", lambda _: None)
        qtbot.addWidget(box)
        box.addItem(text)
        box.resize(box.fontMetrics().horizontalAdvance("Binary: all 6") + 46, 26)
        pictures.append(box.grab().toImage())
    assert pictures[0] != pictures[1]
