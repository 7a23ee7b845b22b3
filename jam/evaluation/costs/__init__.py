"""What a run asks of chat models, and how long that took, replies that were stored before included."""
