"""Conversations with assistants: exports of their makers, and the messages that chat APIs take."""
