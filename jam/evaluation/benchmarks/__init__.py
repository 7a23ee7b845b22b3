"""The benchmarks: a loader each, their questions, where gold lies in a workspace, and what is kept of a question."""
