"""Charts that panels share."""
