"""What was identified, in words and as values."""
