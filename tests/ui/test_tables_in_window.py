"""Every result that has a table: the window shows each cell as all other forms do."""

from all_tables import TABLES

from topoview.model import Analysis
from topoview.session import Session
from topoview.ui.widgets.formats import name_text
from topoview.ui.widgets.table import TOPOLOGIES, TableModel


def test_cells_in_the_window_are_those_of_the_text(torus: Analysis) -> None:
    for title, make in TABLES.items():
        table, model = make(torus), TableModel(Session())
        model.show(table.select(*(name for name in table.names if name != "depth")))
        assert model.rowCount() == len(table), title
        for place, texts in enumerate(model.table.texts()):
            shown = [model.text(place, name) for name in model.names]
            told = dict(zip(model.names, texts, strict=True))
            told |= {n: name_text(told[n]) for n in TOPOLOGIES if n in told}
            assert shown == list(told.values()), title
