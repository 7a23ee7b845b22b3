"""Saved runs: what was asked, thought, called, seen and said, as it happened. One schema for every strategy.

`.jam/runs/<run id>.jsonl`, one event a line, written as it happens:

    {"event": "run", "version": 2, "run_id", "query", "scope", "since", "until", "strategy", "engine", "model",
     "model_settings", "budget", "at"}
    {"event": "exchange", "purpose", "key", "messages": […], "request": {…}, "reply": {…} | null, "error", "stored"}
    {"event": "thought", "round", "text", "calls": [{"tool", "arguments"}], "asked", "answer", "last", "notes", "spent"}
    {"event": "observation", "round", "number", "call", "text", "found", "files", "error", "seconds", "at", "spent"}
    {"event": "context", …the MemoryContext…}

What an exchange repeats from an earlier line (messages, schemas, tools) is a text: the first 16 digits of the SHA-256
of its JSON with sorted keys. `reading.py` puts it back.
"""
