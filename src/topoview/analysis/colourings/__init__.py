"""What the colour, rim or size of a rank can mean: a table of functions."""
