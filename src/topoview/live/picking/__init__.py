"""What a click picks, and what belongs to it."""
