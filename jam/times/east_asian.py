"""Times in Chinese, Japanese and Korean, which set no blanks: numeric dates and common expressions."""

from __future__ import annotations

import re
from collections.abc import Callable
from datetime import date

from jam.times.counted import distant
from jam.times.expressions import Recurring, TimeExpression
from jam.times.nearest import latest
from jam.times.spans import Span, Unit, plus, plus_days, unit_span, weekdays_span, year_span

_DATE = re.compile(
    r"(?<![0-9])(?:(?P<year>(?:19|20)[0-9]{2})\s?[年년](?!前|전)|(?P<said>去年|昨年|작년|지난해|今年|올해|明年|来年|내년)[の的]?)?\s?"
    r"(?:(?P<month>[0-9]{1,2})\s?[月월](?:份)?\s?(?:(?P<day>[0-9]{1,2})\s?[日号號일])?)?"
)
_DAYS = {
    -2: "前天 一昨日 おととい 그저께 그제",
    -1: "昨天 昨日 昨晚 昨夜 어제",
    0: "今天 今日 오늘",
    1: "明天 明日 내일",
    2: "后天 後天 明後日 あさって 모레",
}
_UNITS: dict[tuple[Unit, int], str] = {
    ("week", -1): "上周 上週 上个星期 上個星期 上星期 上个礼拜 上礼拜 先週 지난주 지난 주",
    ("week", 0): "这周 這週 本周 这个星期 這個星期 今週 이번 주 이번주",
    ("week", 1): "下周 下週 下个星期 下個星期 下星期 来週 來週 다음 주 다음주",
    ("weekend", -1): "上周末 上週末 先週末 지난 주말 지난주말",
    ("weekend", 0): "这周末 這週末 今週末 이번 주말",
    ("month", -1): "上个月 上個月 上月 先月 지난달 지난 달",
    ("month", 0): "这个月 這個月 本月 今月 이번 달 이번달",
    ("month", 1): "下个月 下個月 下月 来月 來月 다음 달 다음달",
    ("year", -2): "前年 一昨年 재작년",
    ("year", -1): "去年 昨年 작년 지난해",
    ("year", 0): "今年 올해",
    ("year", 1): "明年 来年 來年 내년",
}
_FIXED: dict[str, tuple[Unit, int]] = {
    **{word: ("day", count) for count, words in _DAYS.items() for word in words.split()},
    **{
        word.replace("_", " "): unit
        for unit, words in _UNITS.items()
        for word in re.sub(r"(지난|이번|다음) ", r"\1_", words).split()
    },
}
_WORD = re.compile("|".join(sorted(_FIXED, key=len, reverse=True)))
_AGO = re.compile(
    r"(?P<count>[0-9]{1,3}|[一二两兩三四五六七八九十])\s?(?:"
    r"(?P<day>天|日|일)|(?P<week>周|週間|週|个星期|個星期|星期|주일|주)|"
    r"(?P<month>个月|個月|か月|ヶ月|カ月|ヵ月|개월|달)|(?P<year>年|년))\s?(?:之前|以前|前|전)"
)
_WEEKDAY = re.compile(
    r"(?P<which>[上下这這本])?(?:个|個)?(?:星期|礼拜|周|週)(?P<zh>[一二三四五六日天])(?![次个個天])"
    r"|(?:(?P<week>先週|今週|来週|지난\s?주|이번\s?주|다음\s?주)[の의]?\s?)?"
    r"(?:(?P<ja>[月火水木金土日])曜日?|(?P<ko>[월화수목금토일])요일)"
)
_NUMERALS = {sign: number for number, signs in enumerate(("", "一", "二两兩", *"三四五六七八九十")) for sign in signs}
_WEEKDAYS = {
    sign: number % 7
    for number, signs in enumerate(("一月월", "二火화", "三水수", "四木목", "五金금", "六土토", "日天일"))
    for sign in signs
}
_WEEKS = {"上": -1, "先": -1, "지": -1, "下": 1, "来": 1, "다": 1}
"""By the first letter of "last", "next" week; any other is this week's."""


def read_east_asian(text: str, reference: date | None) -> list[TimeExpression]:
    """The expressions of these languages, in the text's order."""
    readers: tuple[tuple[re.Pattern[str], Callable[[re.Match[str], date | None], TimeExpression | None]], ...] = (
        (_DATE, _date),
        (_AGO, _ago),
        (_WEEKDAY, _weekday),
        (_WORD, _word),
    )
    found: list[TimeExpression] = []
    for pattern, reader in readers:
        taken = {place for one in found for place in range(one.start, one.end)}
        for match in pattern.finditer(text):
            if match.end() > match.start() and not taken.intersection(range(*match.span())):
                read = reader(match, reference)
                found += [read] if read else []
    return sorted(found, key=lambda one: one.start)


def _expression(match: re.Match[str], span: Span | None, recurring: Recurring | None = None) -> TimeExpression:
    text = match[0].strip()
    start = match.start() + match[0].index(text)
    return TimeExpression(start, start + len(text), text, span, recurring=recurring)


def _date(match: re.Match[str], reference: date | None) -> TimeExpression | None:
    year, month, day = (int(match[name] or 0) for name in ("year", "month", "day"))
    if match["said"] and month and reference:
        year = reference.year + _FIXED[match["said"]][1]
    if not year and not month:
        return None
    if not 1 <= month <= 12:
        return _expression(match, year_span(year)) if year else None
    recurring = Recurring(months=(month, month), day=day or None)
    if not year:
        return _expression(match, latest(recurring, reference) if reference else None, recurring)
    return _expression(match, recurring.in_year(year) or Recurring(months=(month, month)).in_year(year))


def _word(match: re.Match[str], reference: date | None) -> TimeExpression:
    unit, count = _FIXED[match[0]]
    return _expression(match, unit_span(plus(reference, count, unit), unit) if reference else None)


def _ago(match: re.Match[str], reference: date | None) -> TimeExpression:
    count = _NUMERALS.get(match["count"]) or int(match["count"])
    units: tuple[Unit, ...] = ("day", "week", "month", "year")
    unit = next(unit for unit in units if match[unit])
    return _expression(match, distant(reference, (count, count), unit, -1) if reference else None)


def _weekday(match: re.Match[str], reference: date | None) -> TimeExpression:
    day = _WEEKDAYS[match["zh"] or match["ja"] or match["ko"]]
    recurring = Recurring(weekdays=(day, day))
    which = match["which"] or match["week"]
    if which is None or reference is None:
        return _expression(match, latest(recurring, reference) if reference else None, recurring)
    monday = plus_days(reference, 7 * _WEEKS.get(which[0], 0) - reference.weekday())
    return _expression(match, weekdays_span(monday, day, day), recurring)
