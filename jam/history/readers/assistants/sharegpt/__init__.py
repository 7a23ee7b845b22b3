"""ShareGPT conversations."""
