"""Reading histories: files of any supported format become sessions. See `reader.py` for how to add a format."""
