"""Users' own patterns."""
