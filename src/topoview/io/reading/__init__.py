"""Reading a trace, as one part or in parts of its ranks: one graph of steps.

`graph.read_on` says which step follows which. One process reads a trace as one part
that it holds in memory (`whole`); a cluster reads parts, each by itself, whose steps
exchange files (`in_parts`):

1. Decode the events of a part's locations. Among others, times count from the part's
   first event, calls and call paths are numbered within it.
2. Lay the parts side by side (`settling`): where each location's calls and sends are in
   the whole trace, what time is 0, which call paths are equal.
3. Match the receives of a part's ranks with the sends to them (`messages`), which every
   part has sorted by the part that receives them (a shuffle as in MapReduce: Dean and
   Ghemawat 2004).
4. Align the clocks, where they are not: from the shortest transfers of each part and
   the entries and exits of collective operations.
5. Write what each part did to its places in the columns of the trace, and make the
   trace of them. A part that is not held is decoded again for that: it takes less than
   to write columns and to read them.

Where steps write files, each writes one, whole or not at all, into a folder that all
processes reach, and does nothing if it is there. A part that is cut off while it writes
columns writes the same again: a step may be repeated anywhere at any time.
"""
