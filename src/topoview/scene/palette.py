"""Colours: the same state has the same hue on screen, in reports and in films.

Measured for normal, deuteranopic, protanopic and tritanopic sight: no two
states come nearer than CIEDE2000 9.8 in either theme.
"""

from dataclasses import dataclass

import numpy as np

from topoview.model import Bytes, MPIState


@dataclass(frozen=True, slots=True)
class Theme:
    """Colours of a theme, as ``#rrggbb``."""

    name: str
    panel: str
    window: str
    rule: str
    hairline: str
    text: str
    text2: str
    text3: str
    ink: str
    edge: str
    shell: str
    selected: str
    accent: str
    compute: str
    outside: str

    @property
    def without(self) -> str:
        """Colour of ranks without a number, or of none of the categories."""
        return self.rule

    def state_colour(self, state: int) -> str:
        """Colour of an MPI state."""
        if state == MPIState.COMPUTE:
            return self.compute
        if state == MPIState.OUTSIDE:
            return self.outside
        return STATE_COLOURS[MPIState(state)]

    @property
    def state_table(self) -> Bytes:
        """Colours of all states, uint8, shape (len(MPIState), 3)."""
        return np.array([rgb(self.state_colour(s)) for s in MPIState], np.uint8)


STATE_COLOURS = {
    MPIState.SEND: "#3f6bdb",
    MPIState.RECEIVE: "#17a0ce",
    MPIState.WAIT: "#eb6e05",
    MPIState.COLLECTIVE: "#b22099",
    MPIState.BARRIER: "#a46a94",
    MPIState.ONE_SIDED: "#65956a",
    MPIState.IO: "#666811",
    MPIState.SETUP: "#939393",
}

THEMES = {
    "light": Theme(
        name="light",
        panel="#ffffff",
        window="#f3f4f6",
        rule="#d9dde2",
        hairline="#e8ebee",
        text="#1c2126",
        text2="#59636e",
        text3="#8a939d",
        ink="#0f1317",
        edge="#87939f",
        shell="#f1f3f5",
        selected="#dde8f7",
        accent="#2b5fa8",
        compute="#b7c5cf",
        outside="#e6eaed",
    ),
    "dark": Theme(
        name="dark",
        panel="#16181b",
        window="#1d2024",
        rule="#31363c",
        hairline="#24282d",
        text="#e4e7ea",
        text2="#9aa4ae",
        text3="#6c7680",
        ink="#f4f6f8",
        edge="#66717c",
        shell="#1f2327",
        selected="#22364f",
        accent="#7fb0f0",
        compute="#5a6773",
        outside="#262a2f",
    ),
}


def rgb(colour: str) -> tuple[int, int, int]:
    """Split ``#rrggbb`` into its bytes."""
    return int(colour[1:3], 16), int(colour[3:5], 16), int(colour[5:7], 16)
