"""Times told in a text: which days "8 May 2023", "last week" or "two weeks before the race" mean.

Only text and days here: no files, no sessions, no clock; what a text is about is not its business either.
"""

from jam.times.expressions import Offset, Recurring, TimeExpression
from jam.times.reading import read_times
from jam.times.spans import Span

__all__ = ["Offset", "Recurring", "Span", "TimeExpression", "read_times"]
