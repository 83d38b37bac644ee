"""A logical trace in words: its lines, as JSON, HTML and a graph; and comparisons."""
