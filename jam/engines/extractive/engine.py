"""The extractive engine, put together."""

from __future__ import annotations

from jam.engines.extractive.folders import ExtractiveFolderSummarizer
from jam.engines.extractive.memo import ExtractiveMemoWriter
from jam.engines.extractive.organizer import ExtractiveOrganizer
from jam.jobs import Engine


def extractive_engine() -> Engine:
    """Every job of the Memorizer, computed."""
    return Engine(
        name="extractive",
        memo_writer=ExtractiveMemoWriter(),
        organizer=ExtractiveOrganizer(),
        summarizer=ExtractiveFolderSummarizer(),
    )
