"""Pictures of two dimensions: charts, figures, timeline and matrix in pixels."""
