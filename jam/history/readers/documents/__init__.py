"""Notes, books, pages and other texts."""
