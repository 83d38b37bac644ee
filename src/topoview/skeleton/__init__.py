"""Programs that make the calls of a logical trace again."""
