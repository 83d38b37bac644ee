"""Tables of what is found in a trace: calls, messages, iterations, parts of the run."""
