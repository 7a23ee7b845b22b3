"""Whether a statement in other words is true to the message that it is from: its times and its numbers."""
