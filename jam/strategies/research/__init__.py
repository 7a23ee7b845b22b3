"""The Researcher: rounds of think → tools in parallel → think, then finalize. A LangGraph graph."""
