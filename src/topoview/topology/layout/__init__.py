"""Where ranks are drawn."""
