"""The panel of the profile: time by function, in a table with bars."""
