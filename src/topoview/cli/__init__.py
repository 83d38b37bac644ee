"""The subcommands: a function for each, and one that adds its options."""
