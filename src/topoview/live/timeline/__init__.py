"""The timeline before it is painted: its rows, and the states of its pixels."""
