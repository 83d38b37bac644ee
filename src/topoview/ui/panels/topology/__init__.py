"""The topology panel."""
