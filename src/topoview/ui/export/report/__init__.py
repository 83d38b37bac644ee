"""Reports as files: their pictures, and their pages as HTML and PDF."""
