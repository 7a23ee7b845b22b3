"""The message index: which messages bear on a question. Derived from the tree, kept in `.jam/index/`."""
