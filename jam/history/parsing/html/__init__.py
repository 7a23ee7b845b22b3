"""Web pages made into texts with headings, lists, tables and code, in linear time."""
