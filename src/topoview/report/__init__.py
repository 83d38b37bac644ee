"""What is said of results: words, tables, text, pages."""
