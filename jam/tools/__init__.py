"""The three tools: `open` a folder, `search` the tree, `browse` a file. They only read, inside the workspace."""
