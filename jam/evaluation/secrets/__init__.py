"""How well secrets are redacted: invented ones planted into invented text, and what else was touched.

Nothing here knows how secrets are found: values and places are written from the public forms of tokens, and from how
people and programs write them down.
"""
