"""Claude.ai data exports."""
