"""What holds of any text, reference day and language."""

from __future__ import annotations

from datetime import date, timedelta
from itertools import pairwise

from hypothesis import given
from hypothesis import strategies as st

from jam.times import read_times

PIECES = """a an the of in on at since until before after between and from to by last next this past ago early late mid
    day days week weekend month year years May may march Monday fall second quarter Q 3 8 8th 15 31 32 2023 1999 0 7777
    '22 80s - – / . , : ; 2023-05-08 8/5/2023 30/30/2023 yesterday tomorrow Christmas Easter race later first couple few
    am vor bis Mai Woche letzte il y a mars dernier hace días fa há geleden назад мая 年 月 日 昨天 上周 3天前 년 월
    지난주 9999 99999999999999999999""".split()
texts = st.one_of(st.text(max_size=60), st.lists(st.sampled_from(PIECES), max_size=14).map(" ".join))
references = st.one_of(st.none(), st.dates())
ordinary_days = st.dates(date(1950, 1, 1), date(2049, 12, 31))

MONTHS = {
    "en": "January February March April May June July August September October November December",
    "de": "Januar Februar März April Mai Juni Juli August September Oktober November Dezember",
    "fr": "janvier février mars avril mai juin juillet août septembre octobre novembre décembre",
    "es": "enero febrero marzo abril mayo junio julio agosto septiembre octubre noviembre diciembre",
    "it": "gennaio febbraio marzo aprile maggio giugno luglio agosto settembre ottobre novembre dicembre",
    "pt": "janeiro fevereiro março abril maio junho julho agosto setembro outubro novembro dezembro",
    "nl": "januari februari maart april mei juni juli augustus september oktober november december",
    "ru": "января февраля марта апреля мая июня июля августа сентября октября ноября декабря",
}
FORMS = {
    "en": ["{day} {month} {year}", "{month} {day}, {year}", "the {day} of {month} {year}", "{month} {day} {year}"],
    "de": ["am {day}. {month} {year}", "{day}. {month} {year}"],
    "fr": ["le {day} {month} {year}"],
    "es": ["el {day} de {month} de {year}", "{day} de {month} del {year}"],
    "it": ["il {day} {month} {year}"],
    "pt": ["em {day} de {month} de {year}"],
    "nl": ["op {day} {month} {year}"],
    "ru": ["{day} {month} {year} года"],
}
NUMERIC = ["{year}-{number:02}-{day:02}", "{year}/{number}/{day}", "{day}.{number}.{year}", "{year}年{number}月{day}日"]
NUMERIC += ["{year}년 {number}월 {day}일"]


@given(texts, references)
def test_any_text_is_read_in_order_without_overlaps(text, reference):
    found = read_times(text, reference)
    assert all(text[one.start : one.end] == one.text for one in found)
    assert all(one.start < one.end for one in found)
    assert all(first.end <= second.start for first, second in pairwise(found))


def test_no_expression_reaches_over_one_of_another_language():
    assert [one.text for one in read_times("BY 지난주 WEEKEND", date(2026, 5, 6))] == ["지난주"]


@given(texts, references)
def test_spans_are_ordered_and_an_offset_gives_one(text, reference):
    for one in read_times(text, reference):
        spans = [span for span in (one.span, one.named, *one.others) if span is not None]
        spans += [one.around(date.min), one.around(date.max)] if one.offset else []
        assert all(span.first is None or span.last is None or span.first <= span.last for span in spans)


@given(ordinary_days, st.sampled_from([(language, form) for language, forms in FORMS.items() for form in forms]))
def test_a_date_written_with_its_month_reads_back(day, written):
    language, form = written
    text = form.format(day=day.day, month=MONTHS[language].split()[day.month - 1], year=day.year)
    [found] = read_times(f"x: {text}!")
    assert found.span is not None
    assert (found.span.first, found.span.last) == (day, day)


@given(ordinary_days, st.sampled_from(NUMERIC))
def test_a_numeric_date_reads_back(day, form):
    [found] = read_times(form.format(day=day.day, number=day.month, year=day.year))
    assert found.span is not None
    assert (found.span.first, found.span.last) == (day, day)


WEEKLY = """last week|this week|next week|last weekend|last Monday|yesterday|three days ago|two weeks ago|letzte Woche|
    la semaine dernière|la semana pasada|la settimana scorsa|na semana passada|vorige week|на прошлой неделе|上周|先週|
    지난주"""


@given(ordinary_days, st.sampled_from([text.strip() for text in WEEKLY.split("|")]))
def test_a_week_later_what_is_counted_in_days_lies_a_week_later(reference, text):
    [now], [then] = read_times(text, reference), read_times(text, reference + timedelta(days=7))
    assert now.span is not None
    assert then.span is not None
    assert now.span.first is not None
    assert now.span.last is not None
    week = timedelta(days=7)
    assert (then.span.first, then.span.last) == (now.span.first + week, now.span.last + week)


@given(
    ordinary_days,
    st.sampled_from(["last May", "last Monday", "last summer", "last Easter", "last winter", "last year"]),
)
def test_the_last_one_is_over_and_less_than_two_years_ago(reference, text):
    [found] = read_times(text, reference)
    assert found.span is not None
    assert found.span.first is not None
    assert found.span.last is not None
    assert found.span.last < reference
    assert (reference - found.span.first).days <= 2 * 366


@given(ordinary_days, st.sampled_from(["in May", "on Monday", "on 3 August", "in week 23", "at Christmas", "mid-June"]))
def test_a_bare_one_has_begun(reference, text):
    [found] = read_times(text, reference)
    assert found.span is not None
    assert found.span.first is not None
    assert found.span.first <= reference
