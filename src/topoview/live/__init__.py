"""What a frame or a selection asks for: state at a time, searches, sums of a window."""
