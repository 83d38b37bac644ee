"""The window as a whole: opening traces, its bars, pages and panels' places."""
