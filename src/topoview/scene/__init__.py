"""From data to pictures, on any pyvista Plotter and without Qt."""
