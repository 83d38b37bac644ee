"""Reports: findings, sections and figures of a run, and the page that they make."""
