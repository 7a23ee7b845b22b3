"""LangChain and LangGraph dumps."""
