"""Two runs, or two windows of one: what belongs together, and how it differs."""
