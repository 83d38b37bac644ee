"""Reading a trace in parts of its ranks, each by itself: the steps of a cluster.

A part is read as a trace is (`topoview.io.otf2`), and what needs other parts is settled
between the steps:

1. `decode_part` decodes the events of its locations, for what others have to know.
   Times count from the part's first event, calls and call paths are numbered within it.
2. `settle` lays the parts side by side: where each location's calls and sends are in
   the whole trace, what time is 0, which call paths are equal.
3. `match_part` matches the receives of its ranks with the sends to them, which every
   part has sorted by the part that receives them (a shuffle as in MapReduce: Dean and
   Ghemawat 2004).
4. `correct_clocks` aligns the clocks, where they are not: from the shortest transfers
   of each part (`complete_part`) and the entries and exits of collective operations.
5. `lay_out` makes files for the columns; `finish_part` decodes again and writes what
   the part did to its places there; `join_parts` makes the trace of them.

Each step writes one file, whole or not at all, into a folder that all processes reach,
and does nothing if it is there. A part that is cut off while it writes columns writes
the same again: a step may be repeated anywhere at any time. What comes out is the trace
that one process reads, bit by bit.
"""
