"""Widgets, fonts, icons and number formats that all of the window uses."""
