"""What is written over the scene: annotations, cards and legends."""
