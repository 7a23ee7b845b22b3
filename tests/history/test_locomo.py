from __future__ import annotations

import json

import pytest

from jam.history.readers.benchmarks.locomo import spoken_time

TALK = {
    "speaker_a": "Ann",
    "speaker_b": "Bo",
    "session_2_date_time": "12:05 am on 1 March, 2024",
    "session_2": [{"speaker": "Bo", "dia_id": "D2:1", "text": "Late."}],
    "session_1_date_time": "1:56 pm on 8 May, 2023",
    "session_1": [
        {
            "speaker": "Ann",
            "dia_id": "D1:1",
            "text": "Look!",
            "blip_caption": "a red kite",
            "img_url": ["u"],
            "query": "kite",
        },
        {"speaker": "Bo", "dia_id": "D1:2", "text": "Nice."},
    ],
    "session_3_date_time": "1:00 pm on 2 March, 2024",
    "session_4_date_time": "no date",
    "session_4": [],
}
SAMPLE = {
    "qa": [{"question": "Q?", "answer": 3, "evidence": ["D1:1"], "category": 1}],
    "sample_id": "conv-1",
    "conversation": TALK,
}


def test_sessions(make, read):
    result = read(make({"x/l.json": json.dumps([SAMPLE])}))
    first, second = result.sessions
    assert (first.id, first.group, first.at) == ("conv-1/session_1", ("conv-1",), "2023-05-08T13:56:00")
    assert (second.id, second.at) == ("conv-1/session_2", "2024-03-01T00:05:00")
    message = first.messages[0]
    assert (message.id, message.role, message.speaker) == ("D1:1", "user", "Ann")
    assert message.text == "Look!\n[image: a red kite]"
    assert message.meta == {"img_url": ["u"], "query": "kite"}
    assert "1 dates without a session" in result.row.note
    assert "session_4 is empty" in result.row.note
    assert result.row.skipped_count == 0


def test_one_conversation_alone(make, read):
    assert read(make({"one.json": json.dumps(SAMPLE)})).sessions[0].id == "conv-1/session_1"
    result = read(make({"one.json": json.dumps(TALK)}))
    assert [s.id for s in result.sessions] == ["one.json#1/session_1", "one.json#1/session_2"]


def test_a_long_head_does_not_hide_it(make, read):
    sample = {**SAMPLE, "qa": SAMPLE["qa"] * 2000}
    assert read(make({"l.json": json.dumps([sample])})).row.format == "locomo"


def test_odd_turns(make, read):
    talk = {
        **TALK,
        "session_1": [
            5,
            {"text": None},
            {"dia_id": "D1:3", "blip_caption": "a cat"},
            {"dia_id": "D1:3", "text": "other"},
            {"dia_id": 7, "text": "x"},
        ],
        "session_2": "none",
    }
    result = read(make({"l.json": json.dumps([{**SAMPLE, "conversation": talk}, "junk"])}))
    assert [(m.id, m.text) for m in result.session.messages] == [
        ("D1:3", "[image: a cat]"),
        ("D1:3~2", "other"),
        (None, "x"),
    ]
    assert [s.where for s in result.row.records_skipped] == [
        "session conv-1/session_1, message 1",
        "session conv-1/session_1, message 2",
        "session conv-1/session_2",
        "record 2",
    ]


@pytest.mark.parametrize(
    ("text", "expected"),
    [("12:00 pm on 1 June, 2023", "2023-06-01T12:00:00"), ("2023-06-01", "2023-06-01"), ("soon", None), (None, None)],
)
def test_spoken_time(text, expected):
    assert spoken_time(text) == expected
