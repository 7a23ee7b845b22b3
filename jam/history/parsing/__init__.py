"""Foreign bytes, JSON, times and texts made into plain values. Nothing here knows about formats."""
