"""The command line. A file a verb; each picks its parts, wires them and prints."""
