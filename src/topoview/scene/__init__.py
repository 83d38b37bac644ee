"""From data to pictures, in any renderer of VTK, and without Qt."""
