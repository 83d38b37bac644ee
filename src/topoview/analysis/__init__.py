"""Plain functions over a whole trace, whose results are kept with it."""
