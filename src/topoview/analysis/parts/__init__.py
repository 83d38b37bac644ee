"""Parts of a run: phases, communicators, splits by what holds ranks together."""
