"""The arrangement of the ranks on the command line, and in pictures made again."""

import argparse
from pathlib import Path

import pytest

from topoview.cli.drawing import add_shape, chosen_geometry
from topoview.errors import ExportError, TopoviewError
from topoview.model import Analysis, Geometry
from topoview.session import SceneOptions
from topoview.ui.export.picture import render
from topoview.ui.export.render_spec import RenderSpec


def parsed(*words: str) -> argparse.Namespace:
    parser = argparse.ArgumentParser()
    add_shape(parser)
    return parser.parse_args(words)


def test_all_options(torus: Analysis, tmp_path: Path) -> None:
    path = tmp_path / "p.csv"
    path.write_text("rank,rack\n" + "".join(f"{r},r{r // 6}\n" for r in range(12)))
    args = parsed(
        *("--layout", "nodes", "--width", "6", "--order", "place", "--spacing", "2"),
        *("--gaps", "rack", "--placement", str(path), "--wrap", "arcs", "--copies"),
        *("--slice", "y=0:1", "--slice", "x=2", "--outside", "hidden"),
        *("--explode", "x=1.5", "--fold", "xyx"),
    )
    assert chosen_geometry(args, torus) == Geometry(
        6, "place", 2.0, "rack", str(path), "arcs", True, ((0, 2, 2), (1, 0, 1)),
        "hidden", 0, 1.5, fold=(0, 1, 0),
    )  # fmt: skip


@pytest.mark.parametrize(
    ("words", "told"),
    [
        (("--layout", "pyramid"), "no layout pyramid: choose one of torus"),
        (("--gaps", "drawer"), "drawer"),
        (("--slice", "2:3"), "names no dimension"),
        (("--slice", "x=3:2"), "is no range"),
        (("--explode", "z=far"), "is no distance"),
        (("--fold", "xyw"), "other axes"),
        (("--spacing", "9"), "out of range"),
        (("--placement", "missing.csv"), "cannot be read"),
    ],
)
def test_what_does_not_exist_is_told(
    torus: Analysis, words: tuple[str, ...], told: str
) -> None:
    with pytest.raises(TopoviewError, match=told):
        chosen_geometry(parsed(*words), torus)


def test_a_picture_needs_its_placement_file(torus: Analysis, tmp_path: Path) -> None:
    view = SceneOptions(geometry=Geometry(placement=str(tmp_path / "gone.csv")))
    with pytest.raises(ExportError, match=r"gone.csv cannot be read"):
        render(torus, RenderSpec(0, (0, 1), (200, 150), scene=view))
