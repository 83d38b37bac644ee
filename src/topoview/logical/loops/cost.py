"""What a program takes to be written down, in bits: the measure of all choices.

The shortest description is the best one (minimum description length: Rissanen 1978).
"""

LINE = 40.0
"""Bits of a line of the listing."""

TABLE_HEAD = 80.0
"""Bits of a table of turns, beside what it holds."""

RULE = 20.0
"""Bits of a table that a word tells: every tenth, all but the last."""

HIDDEN = 4.0
"""How much dearer a bit of a table is than one of the text, where both tell the same:
nobody reads it."""
