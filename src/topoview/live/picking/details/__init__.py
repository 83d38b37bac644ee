"""All that is known about one thing that was clicked, in plain numbers."""
