"""ChatGPT data exports."""
