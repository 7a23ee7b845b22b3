"""Measuring JAM: benchmarks' questions, recall of evidence at a token budget, speed on this machine."""
