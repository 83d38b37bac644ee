"""The machine's network: where ranks are, what goes over links, better mappings."""
