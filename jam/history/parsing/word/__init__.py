"""Word documents made into texts: paragraphs, lists and tables in their order."""
