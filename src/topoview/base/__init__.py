"""What every room builds on: texts, progress, memory, compiled functions, resources."""
