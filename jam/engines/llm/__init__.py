"""The llm engine: every job done by a chat model, from a prompt in `prompts/`, as the card `agents/llm.yaml` casts it.

Whatever the model says, a job ends with something usable: replies are read tolerantly, asked for once more, and where
they stay useless the fallback engine's player steps in. Where no reply came at all, a player does without the model too
or raises `ModelError`, as it says.
"""
