"""Data sets that memories are measured with."""
