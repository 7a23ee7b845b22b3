"""DeferMem: candidates by segments and their links, then distilled in one go."""
