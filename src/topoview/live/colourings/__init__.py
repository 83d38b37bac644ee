"""What the colour, outline or size of a rank can mean: a table of functions."""
