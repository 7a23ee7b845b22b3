"""Telegram exports."""
