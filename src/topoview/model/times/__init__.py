"""Where time goes: the account, waits, devices, and figures of statements and ranks."""
