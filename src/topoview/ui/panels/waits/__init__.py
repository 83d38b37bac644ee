"""What is said of waits below the list of delays: advice, wait states, efficiency."""
