"""Messages as chat APIs take them."""
