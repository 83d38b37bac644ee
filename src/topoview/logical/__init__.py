"""From a trace and its topology to the one logical trace."""
