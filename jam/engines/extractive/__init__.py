"""The extractive engine: every job computed from the text itself. No model, no key, no network; deterministic."""
