"""Answers from a context alone: given by a model, graded by another, and compared with the benchmark's own."""
