"""A run's predictions as figures, tables, plots and a drawing."""
