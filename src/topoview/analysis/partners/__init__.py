"""Who exchanges with whom where messages do not say so."""
