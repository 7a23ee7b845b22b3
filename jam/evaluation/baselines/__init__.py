"""What else one could put into a prompt: plain stores, whole sessions that are distilled, the gold, everything."""
