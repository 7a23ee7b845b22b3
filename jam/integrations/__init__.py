"""JAM inside other people's agents."""
