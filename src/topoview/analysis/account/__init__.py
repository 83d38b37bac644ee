"""The account of time: what each location does at each tick, in one class each."""
