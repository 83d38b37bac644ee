"""What waits cost: whose delay each is due to, and what if there had been none."""
