"""Looking for calls and messages: a query of one line, finding, and SQL."""
