"""Encoders and rerankers: texts to vectors, token weights and scores, by a model on this machine or a server.

All of it is optional. A spec names one (`resolve.py`); it is used through the protocols of `jam/encoding.py`. Nothing
here knows what memory is, and no heavy library is imported before the first text.
"""
