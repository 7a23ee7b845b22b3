"""A reranker behind a server with good and bad manners."""

from __future__ import annotations

import numpy as np
import pytest

from jam.encoders.resolve import reranker
from jam.errors import ModelRefused, ModelUnavailable, PromptTooLong, UnusableReply
from tests.encoders.servers import VectorServer, ranking
from tests.servers import Fail, Odd

TEXTS = ["one", "a longer one", "two", "the longest of them all"]


def of(server, base="", **settings):
    return reranker(f"rerank:tiny@{server.url}{base}", {"retry_seconds": 0.01, "timeout_seconds": 5, **settings})


@pytest.mark.parametrize("base", ["", "/v1"])
@pytest.mark.parametrize("place", ["/rerank", "/v1/rerank"])
def test_scores_come_in_the_order_of_the_texts_wherever_the_server_has_them(base, place):
    with VectorServer(lambda request: ranking(request) if request.path == place else Fail(404)) as server:
        given = of(server, base, batch_size=2)
        np.testing.assert_array_equal(given.scores("which?", TEXTS), [3, 12, 3, 23])
        server.requests.clear()
        np.testing.assert_array_equal(given.scores("which?", TEXTS), [3, 12, 3, 23])
        paths = [request.path for request in server.requests]
        sent = server.requests[-1].body
    assert paths == [place, place]
    assert set(sent) == {"model", "query", "documents", "top_n"}
    assert (sent["query"], sent["top_n"]) == ("which?", 2)
    assert (given.fingerprint, given.batch_size) == ("rerank-tiny", 2)


def test_nothing_to_rank_is_never_sent():
    with VectorServer(ranking) as server:
        assert of(server).scores("which?", []).shape == (0,)
        assert not server.requests


@pytest.mark.parametrize(
    "reply",
    [
        {"results": [{"index": 1, "score": 0.25}, {"index": 0, "score": 0.5}]},
        {"data": [{"index": 1, "relevance_score": 0.25}, {"index": 0, "relevance_score": 0.5}]},
        {"results": [{"index": 0, "relevance_score": 0.5, "document": {"text": "a"}}, {"index": 1, "score": 0.25}]},
    ],
)
def test_the_forms_of_other_servers_are_read(reply):
    with VectorServer([reply]) as server:
        np.testing.assert_array_equal(of(server).scores("which?", ["a", "b"]), [0.5, 0.25])


@pytest.mark.parametrize(
    ("reply", "said"),
    [
        ({"results": [{"index": 0, "relevance_score": 1.0}]}, "1 results for 2 texts"),
        ({"results": [{"index": 0, "score": 1.0}, {"index": 0, "score": 1.0}]}, r"\[0, 0\]"),
        ({"results": [{"index": 0, "score": 1.0}, {"index": 5, "score": 1.0}]}, r"\[0, 5\]"),
        ({"results": [{"score": 1.0}, {"score": 1.0}]}, "numbers its 2 results"),
        ({"results": [{"index": 0, "score": "much"}, {"index": 1, "score": 1.0}]}, "no row of numbers"),
        ({"results": [{"index": 0, "score": [1.0]}, {"index": 1, "score": [1.0]}]}, "no row of numbers"),
        ({"results": [{"index": 0}, {"index": 1, "score": 1.0}]}, "NaN"),
        ({"results": [{"index": 0, "score": float("nan")}, {"index": 1, "score": 1.0}]}, "NaN"),
        ({"ranked": []}, "without a list `results`"),
    ],
)
def test_a_reply_that_is_no_score_for_each_text_is_named(reply, said):
    with VectorServer([Odd(reply)]) as server, pytest.raises(UnusableReply, match=said) as error:
        of(server).scores("which?", ["a", "b"])
    assert server.url in str(error.value)


def test_boundless_scores_stay_comparable():
    reply = {"results": [{"index": 0, "score": float("inf")}, {"index": 1, "score": -1e300}]}
    with VectorServer([Odd(reply)]) as server:
        first, second = of(server).scores("which?", ["a", "b"])
    assert np.isfinite([first, second]).all()
    assert first > second


def test_a_text_that_is_too_long_is_cut_and_counted():
    def script(request):
        return Fail(413) if sum(map(len, request.body["documents"])) > 100 else ranking(request)

    with VectorServer(script) as server:
        given = of(server)
        scores = given.scores("which?", ["a" * 60, "b" * 400, "c" * 60])
    assert (scores[0], scores[2]) == (60, 60)
    assert 70 <= scores[1] <= 100
    assert given.truncated == 1


def test_a_question_that_leaves_no_room_is_named():
    with VectorServer([Fail(413)]) as server, pytest.raises(PromptTooLong):
        of(server).scores("which?" * 100, ["a" * 100])


def test_a_server_without_reranking_is_named_with_what_to_do():
    with VectorServer([Fail(404, body='{"detail": "Not Found"}')]) as server:
        with pytest.raises(ModelRefused, match=r"404\): Not Found.*reranker") as error:
            of(server).scores("which?", ["a"])
        assert len(server.requests) == 2
    assert server.url in str(error.value)


def test_what_the_server_says_of_an_unknown_model_is_told():
    def script(request):
        if request.path == "/v1/rerank":
            return Fail(404, body='{"error": {"message": "the model tiny does not exist"}}')
        return Fail(404, body='{"detail": "Not Found"}')

    with VectorServer(script) as server, pytest.raises(ModelRefused, match="does not exist"):
        of(server, "/v1").scores("which?", ["a"])


def test_an_overloaded_server_is_tried_again_and_then_named():
    with VectorServer([Fail(503)]) as server:
        with pytest.raises(ModelUnavailable, match=r"`reranker:` in jam\.yaml"):
            of(server, retries=1).scores("which?", ["a"])
        assert len(server.requests) == 2
