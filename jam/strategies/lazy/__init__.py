"""LazyMem: retrieve broadly, construct selectively."""
