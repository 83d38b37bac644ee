"""The decoder of event files, without libotf2."""
