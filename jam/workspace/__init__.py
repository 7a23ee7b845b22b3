"""The workspace: the tree of plain files that JAM writes, and the only code that knows how its files look."""
