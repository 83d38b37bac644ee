"""One sequence of calls out of those of all ranks."""
