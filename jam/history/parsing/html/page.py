"""HTML as text: headings, paragraphs, lists, tables and code as Markdown has them, without scripts, styles, forms,
pictures' data and navigation.

Whatever the markup, the time grows with its length only: there is no recursion, and nesting has a limit beyond which it
is ignored. Nothing here knows about files. The addresses of links are left out: they are for browsers.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from jam.history.parsing.html.blocks import Renderer
from jam.history.parsing.html.head import Head
from jam.history.parsing.html.tokens import tokens
from jam.history.parsing.text_blocks import Block, join

Picture = Callable[[str, str], str]
"""(address, alternative text) → the mark that stands in the text for a picture, perhaps none."""

_ENOUGH = 200
"""So many characters in the part that a page itself calls its main part are its text."""


@dataclass(frozen=True, slots=True)
class Page:
    """What a page says, and what it says of itself."""

    text: str
    title: str | None = None
    at: str | None = None
    """When it was published."""
    author: str | None = None
    address: str | None = None
    """Where it was taken from."""
    language: str | None = None


def html_to_text(markup: str) -> str:
    """All text of some markup (a message, a chapter, a page)."""
    renderer = Renderer()
    for token in tokens(markup):
        renderer.take(token)
    blocks = renderer.finish()
    return join([block for block in blocks if not block.hidden] or blocks)


def read_page(markup: str, picture: Picture | None = None) -> Page:
    """A page: its main text, without what surrounds it on a site."""
    renderer, head = Renderer(picture), Head(markup)
    for token in tokens(markup):
        head.take(token)
        renderer.take(token)
    blocks = _main(renderer.finish())
    text = join(blocks)
    return Page(text, head.title(renderer.headings), head.at, head.author, head.address, head.language)


def _main(blocks: list[Block]) -> list[Block]:
    """The main part that the page marks as such, where there is anything in it; else all but what surrounds it."""
    kept = [block for block in blocks if not block.hidden and not block.aside]
    main = [block for block in kept if block.main]
    size = sum(len(block.text) for block in main)
    if size >= _ENOUGH or 2 * size > sum(len(block.text) for block in kept):
        return main
    return kept or [block for block in blocks if not block.hidden] or blocks
