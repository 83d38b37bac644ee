"""Partners as directions."""
