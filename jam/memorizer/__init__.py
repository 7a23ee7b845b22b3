"""The Memorizer: a history becomes a workspace. Reading → raw files → memos → folders → READMEs → index."""
