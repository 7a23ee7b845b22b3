"""Running a benchmark: what is measured, every question asked by every method, and what is saved of that."""
