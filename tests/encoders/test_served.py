"""An encoder behind a server with good and bad manners."""

from __future__ import annotations

import base64
import logging
import socket
import struct
import threading

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from jam.encoders.resolve import encoder
from jam.encoding import SparseEncoder, same_encoder
from jam.errors import KeyRefused, ModelRefused, ModelTimeout, ModelUnavailable, PromptTooLong, UnusableReply
from tests.encoders.servers import VectorServer, direction, embeddings
from tests.servers import Close, Fail, Hang, NotJson, Odd

KEY = "sk-nobody-may-read-this-key"


def of(server, name="tiny", **settings):
    return encoder(f"openai:{name}@{server.url}/v1", {"retry_seconds": 0.01, "timeout_seconds": 5, **settings})


def unit(texts, dimensions=8):
    vectors = np.array([direction(text, dimensions) for text in texts])
    return vectors / np.linalg.norm(vectors, axis=1, keepdims=True)


def test_texts_become_unit_vectors_in_their_order():
    texts = [f"text number {number}" for number in range(10)]
    with VectorServer(embeddings) as server:
        given_ = of(server, batch_size=3)
        vectors = given_.encode(texts)
        sizes = sorted(len(request.body["input"]) for request in server.requests)
    assert vectors.dtype == np.float32
    np.testing.assert_allclose(vectors, unit(texts), atol=1e-6)
    assert sizes == [1, 3, 3, 3]
    assert (given_.dimensions, given_.batch_size, given_.truncated) == (8, 3, 0)
    assert not isinstance(given_, SparseEncoder)


def test_the_request_says_what_it_should(monkeypatch):
    monkeypatch.setenv("VECTORS_API_KEY", KEY)
    extra = {"truncate_prompt_tokens": -1}
    with VectorServer(lambda request: embeddings(request, 4)) as server:
        given_ = of(server, "a/b@c", key_env="VECTORS_API_KEY", extra=extra, dimensions=4, query_prefix="find: ")
        given_.encode(["why \ud800 so?"], query=True)
        given_.encode(["since"])
        question, passage = server.requests
    assert question.path == "/v1/embeddings"
    assert question.headers["authorization"] == f"Bearer {KEY}"
    assert question.body == {
        "model": "a/b@c",
        "input": ["find: why ? so?"],
        "encoding_format": "float",
        "dimensions": 4,
        "truncate_prompt_tokens": -1,
    }
    assert passage.body["input"] == ["since"]


def test_empty_texts_are_zero_and_never_sent():
    with VectorServer(embeddings) as server:
        vectors = of(server).encode(["", "full", " \n"])
        assert [request.body["input"] for request in server.requests] == [["full"]]
    assert not vectors[[0, 2]].any()
    assert vectors[1].any()


def test_no_texts_give_no_vectors():
    with VectorServer(embeddings) as server:
        assert of(server).encode([]).shape == (0, 8)


def test_batches_are_sent_side_by_side_within_the_bound():
    both = threading.Barrier(2)

    def script(request):
        both.wait(5)  # fails where requests come one by one
        return embeddings(request)

    with VectorServer(script) as server:
        of(server, batch_size=1, concurrency=2).encode([str(number) for number in range(8)])
        assert len(server.requests) == 8
        assert server.most_at_once == 2


def test_vectors_in_another_order_are_put_in_order():
    def script(request):
        reply = embeddings(request)
        return {**reply, "data": reply["data"][::-1]}

    with VectorServer(script) as server:
        np.testing.assert_allclose(of(server).encode(["a", "bc", "def"]), unit(["a", "bc", "def"]), atol=1e-6)


def test_vectors_without_numbers_are_taken_as_they_come():
    def script(request):
        return {"data": [{"embedding": direction(text)} for text in request.body["input"]]}

    with VectorServer(script) as server:
        np.testing.assert_allclose(of(server).encode(["a", "bc"]), unit(["a", "bc"]), atol=1e-6)


def test_vectors_in_base64_are_read():
    def script(request):
        coded = [base64.b64encode(struct.pack("<8f", *direction(text))).decode() for text in request.body["input"]]
        return {"data": [{"index": place, "embedding": text} for place, text in enumerate(coded)]}

    with VectorServer(script) as server:
        vectors = of(server, extra={"encoding_format": "base64"}).encode(["a", "bc"])
        assert server.requests[0].body["encoding_format"] == "base64"
    np.testing.assert_allclose(vectors, unit(["a", "bc"]), atol=1e-6)


def rows(*vectors, index=None):
    numbers = range(len(vectors)) if index is None else index
    return {"data": [{"index": n, "embedding": vector} for n, vector in zip(numbers, vectors, strict=True)]}


@pytest.mark.parametrize(
    ("reply", "said"),
    [
        (rows([1.0, 2.0]), "1 results for 2 texts"),
        (rows([1.0, 2.0], [1.0, 2.0], [1.0, 2.0]), "3 results for 2 texts"),
        (rows([1.0, 2.0], [1.0, 2.0], index=[0, 0]), r"\[0, 0\]"),
        (rows([1.0, 2.0], [1.0, 2.0], index=[1, 2]), r"\[1, 2\]"),
        (rows([1.0, 2.0], [1.0, 2.0], index=[0, "1"]), "numbers its 2 results"),
        (rows([1.0, 2.0], [1.0, 2.0], index=[0, None]), "numbers its 2 results"),
        (rows([1.0, 2.0], [1.0]), "different dimensions: 1, 2"),
        (rows([], []), "dimensions"),
        (rows([1.0, float("nan")], [1.0, 2.0]), "NaN"),
        (rows([1.0, None], [1.0, 2.0]), "NaN"),
        (rows([1.0, float("inf")], [1.0, 2.0]), "NaN"),
        (rows([0.0, 0.0], [1.0, 2.0]), "zeros"),
        (rows([[1.0, 2.0]], [[1.0, 2.0]]), "no row of numbers"),
        (rows(["x", "y"], [1.0, 2.0]), "no row of numbers"),
        (rows("not base64!", "not base64!"), "no row of numbers"),
        (rows("AAAA", "AAAA"), "no row of numbers"),
        (rows({"a": 1}, [1.0]), "no row of numbers"),
        (rows(None, [1.0]), "no row of numbers"),
        ({"data": None}, "without a list `data`"),
        ({"data": [1, 2]}, "without a list `data`"),
        ({"error": "no such model"}, "no such model"),
        ([1, 2], "without a list `data`"),
        ("words", "without a list `data`"),
        (None, "without a list `data`"),
    ],
)
def test_a_reply_that_is_no_vector_for_each_text_is_named(reply, said):
    with VectorServer([Odd(reply)]) as server:
        with pytest.raises(UnusableReply, match=said) as caught:
            of(server).encode(["one", "two"])
        assert server.url in str(caught.value)
        assert len(server.requests) == 1


@given(st.recursive(st.none() | st.booleans() | st.floats() | st.text(max_size=5), st.lists, max_leaves=6))
def test_any_embedding_is_a_unit_vector_or_named(value):
    from jam.encoders.replies import read_vectors

    try:
        vectors = read_vectors({"data": [{"embedding": value}]}, 1, "the server")
    except UnusableReply:
        return
    assert np.linalg.norm(vectors[0].astype(np.float64)) == pytest.approx(1, abs=1e-6)


def test_numbers_of_any_size_give_a_unit_vector():
    with VectorServer([rows([3e300, 4e300]), rows([3e-320, 4e-320])]) as server:
        given_ = of(server)
        for _ in range(2):
            np.testing.assert_allclose(given_.encode(["a"]), [[0.6, 0.8]], atol=1e-3)


def test_other_dimensions_than_before_are_named():
    with VectorServer([rows([1.0, 2.0]), rows([1.0, 2.0, 3.0])]) as server:
        given_ = of(server)
        given_.encode(["a"])
        with pytest.raises(UnusableReply, match="3 dimensions instead of 2"):
            given_.encode(["b"])


def test_a_server_that_cant_shorten_vectors_is_named():
    with VectorServer(embeddings) as server, pytest.raises(UnusableReply, match="8 dimensions instead of 4"):
        of(server, dimensions=4).encode(["a"])


def test_a_reply_that_is_no_json_is_named():
    with (
        VectorServer([NotJson("<html>welcome</html>")]) as server,
        pytest.raises(UnusableReply, match=r"no JSON.*embedder"),
    ):
        of(server).encode(["a"])


@pytest.mark.parametrize(
    "act",
    [Fail(429), Fail(503), Fail(500), Fail(502, body="<html>bad gateway</html>"), Close()],
    ids=["429", "503", "500", "502", "closed"],
)
def test_passing_failures_are_tried_again(act):
    with VectorServer(lambda request: act if request.number <= 2 else embeddings(request)) as server:
        np.testing.assert_allclose(of(server).encode(["a"]), unit(["a"]), atol=1e-6)
        assert len(server.requests) == 3


def test_a_server_is_given_the_time_that_it_asks_for():
    acts = [Fail(429, {"Retry-After": "0.3"})]
    with VectorServer(lambda request: acts.pop() if acts else embeddings(request)) as server:
        of(server).encode(["a"])
        first, second = server.requests
    assert second.at - first.at >= 0.3


def test_a_server_that_stays_overloaded_is_named_with_what_to_do():
    with VectorServer([Fail(503, body='{"error": {"message": "loading the model"}}')]) as server:
        with pytest.raises(ModelUnavailable, match=r"503: loading the model.*is the server running.*embedder") as error:
            of(server, retries=1).encode(["a"])
        assert "'tiny'" in str(error.value)
        assert server.url in str(error.value)
        assert len(server.requests) == 2


def test_a_dead_server_is_named_with_what_to_do_and_then_left_in_peace():
    with socket.create_server(("127.0.0.1", 0)) as probe:
        port = probe.getsockname()[1]
    given_ = encoder(f"openai:tiny@http://127.0.0.1:{port}/v1", {"retries": 0})
    for _ in range(3):
        with pytest.raises(ModelUnavailable, match=f"{port}.*is the server running"):
            given_.encode(["a"])
    with pytest.raises(ModelUnavailable, match="left in peace"):
        given_.encode(["a"])


def test_a_server_that_is_too_slow_is_tried_once_more():
    with VectorServer([Hang(1.0)]) as server:
        with pytest.raises(ModelTimeout, match="timeout_seconds"):
            of(server, timeout_seconds=0.1).encode(["a"])
        assert len(server.requests) == 2


def test_a_refused_key_ends_all_calls_and_is_never_shown(monkeypatch):
    monkeypatch.setenv("OPENAI_API_KEY", KEY)
    with VectorServer([Fail(401, body=f'{{"error": {{"message": "wrong key {KEY}"}}}}')]) as server:
        given_ = of(server)
        for _ in range(2):
            with pytest.raises(KeyRefused) as error:
                given_.encode(["a"])
            assert KEY not in str(error.value)
        assert len(server.requests) == 1


@pytest.mark.parametrize(
    ("act", "said"),
    [
        (Fail(404, body='{"detail": "Not Found"}'), r"404\): Not Found.*name and URL"),
        (Fail(400, body='{"object": "error", "message": "no such model"}'), r"400\): no such model"),
        (Fail(501, body='{"error": {"message": "start it with --embeddings"}}'), "--embeddings"),
        (Fail(307, {"Location": "http://127.0.0.1:9/"}), "307"),
    ],
)
def test_a_refusal_is_told_in_the_servers_words_and_not_tried_again(act, said):
    with VectorServer([act]) as server:
        with pytest.raises(ModelRefused, match=said):
            of(server).encode(["a"])
        assert len(server.requests) == 1


TOO_LARGE = {
    "413": Fail(413, body="Payload Too Large"),
    "vllm": Fail(400, body='{"error": {"message": "maximum context length is 512 tokens"}}'),
    "llama.cpp": Fail(500, body='{"error": {"message": "input (601 tokens) is too large to process"}}'),
    "tei": Fail(422, body='{"error": "batch size 3 > maximum allowed batch size 2"}'),
}


@pytest.mark.parametrize("refusal", TOO_LARGE.values(), ids=TOO_LARGE.keys())
def test_what_is_too_much_together_is_sent_in_halves(refusal):
    texts = ["one", "two", "three", "four", "five"]
    with VectorServer(lambda request: refusal if len(request.body["input"]) > 2 else embeddings(request)) as server:
        given_ = of(server)
        np.testing.assert_allclose(given_.encode(texts), unit(texts), atol=1e-6)
    assert given_.truncated == 0


def test_a_text_that_is_too_long_alone_is_cut_and_counted(caplog):
    def script(request):
        too_long = any(len(text) > 100 for text in request.body["input"])
        return TOO_LARGE["vllm"] if too_long else embeddings(request)

    texts = ["short", "x" * 1000, "y" * 101]
    with VectorServer(script) as server, caplog.at_level(logging.WARNING, "jam"):
        given_ = of(server)
        vectors = given_.encode(texts)
        lengths = [len(request.body["input"][0]) for request in server.requests if len(request.body["input"]) == 1]
    np.testing.assert_allclose(vectors[0], unit(["short"])[0], atol=1e-6)
    assert given_.truncated == 2
    assert all(70 <= length <= 100 for length in lengths if length < 101 and length != 5)
    assert len([record for record in caplog.records if "too long" in record.message]) == 1


def test_a_server_that_finds_everything_too_large_is_named():
    with VectorServer([TOO_LARGE["413"]]) as server, pytest.raises(PromptTooLong, match="413"):
        of(server).encode(["x" * 200])


def test_one_failure_ends_the_other_batches():
    with VectorServer([Fail(400, body='{"error": "no"}')]) as server:
        with pytest.raises(ModelRefused):
            of(server, batch_size=1, concurrency=2).encode([str(number) for number in range(50)])
        assert len(server.requests) < 50


def wavering(amount, seed):
    """A server whose numbers are never quite the same, as those of a busy GPU are."""
    random = np.random.default_rng(seed)

    def script(request):
        reply = embeddings(request, 256)
        for row in reply["data"]:
            exact = np.array(row["embedding"])
            row["embedding"] = list(exact + amount * np.linalg.norm(exact) / 16 * random.standard_normal(256))
        return reply

    return script


def shifted(request):
    """Another model by the same name."""
    texts = [text[::-1] + "!" for text in request.body["input"]]
    return {"data": [{"index": n, "embedding": direction(text, 256)} for n, text in enumerate(texts)]}


def test_an_encoder_is_known_again_by_its_fingerprint():
    with VectorServer(wavering(0.0, 1)) as one, VectorServer(wavering(0.0, 2)) as moved, VectorServer(shifted) as other:
        first = of(one).fingerprint
        assert first == of(moved).fingerprint
        assert first != of(other).fingerprint
        assert not same_encoder(first, of(other).fingerprint)
        assert not same_encoder(first, of(one, "another-name").fingerprint)
        assert not same_encoder(first, of(one, passage_prefix="passage: ").fingerprint)


def test_a_fingerprint_outlives_rounding():
    random = np.random.default_rng(5)
    directions = {}

    def script(request):
        for text in request.body["input"]:
            directions.setdefault(text, random.standard_normal(256))
        rows_ = [list(directions[text] + 0.005 * random.standard_normal(256)) for text in request.body["input"]]
        return rows(*rows_)

    with VectorServer(script) as server:
        prints = [of(server).fingerprint for _ in range(10)]
    assert all(same_encoder(prints[0], other) for other in prints)


def test_fingerprints_without_a_probe_are_compared_as_they_are():
    assert same_encoder("static-256-abc", "static-256-abc")
    assert not same_encoder("static-256-abc", "static-256-abd")
    assert not same_encoder("openai-x-8~zz", "openai-x-8~00")
