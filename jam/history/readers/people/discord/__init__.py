"""Discord exports."""
