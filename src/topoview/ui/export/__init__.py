"""Pictures and films of the scene as files, drawn without a window."""
