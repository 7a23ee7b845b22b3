"""WhatsApp exports."""
