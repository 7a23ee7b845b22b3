"""OpenHands trajectories."""
