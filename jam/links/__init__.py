"""Which messages belong together: segments of a session, and links between segments on the same (DeferMem)."""
