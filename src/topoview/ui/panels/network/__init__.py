"""The panel of the machine's network: links in space, and what loads them."""
