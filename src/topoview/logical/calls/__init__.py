"""The ranks' MPI calls as a table of symbols that all ranks share."""
