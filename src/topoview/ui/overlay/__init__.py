"""What is written over the scene."""
