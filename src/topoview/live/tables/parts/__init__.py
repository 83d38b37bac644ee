"""Parts of a run: communicators, phases, regions."""
