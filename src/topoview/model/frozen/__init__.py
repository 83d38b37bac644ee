"""What frozen data is made of: read-only arrays, options, derived values."""
