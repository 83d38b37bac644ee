"""From the traffic of pairs of ranks to the answer, and why it is that."""
