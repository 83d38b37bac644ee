"""What happens at a time: states, messages on their way, waiting, sums of a window."""
