"""The timeline as pixels."""
