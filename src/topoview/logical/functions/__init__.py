"""The program's functions around its calls, and their parameters."""
