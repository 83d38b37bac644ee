"""The panel Selection: all about what was clicked, in words with links."""
