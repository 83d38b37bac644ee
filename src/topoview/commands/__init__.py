"""Subcommands that need more than a few lines; `topoview.__main__` lists them all."""
