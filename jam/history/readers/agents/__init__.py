"""Transcripts of coding agents."""
