"""The 3D scene in the window."""
