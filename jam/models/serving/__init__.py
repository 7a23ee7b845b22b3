"""A model server of one's own: vLLM, started with the flags that JAM needs for a model."""
