"""The files of a trace: found, unpacked, and what each holds."""
