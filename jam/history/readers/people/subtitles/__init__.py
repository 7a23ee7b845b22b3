"""Subtitles of meetings."""
