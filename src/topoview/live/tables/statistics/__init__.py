"""How numbers of a part of a run spread: by group, in bins, over time."""
