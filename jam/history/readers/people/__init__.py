"""What people write to one another: messengers, mail, transcripts of meetings."""
