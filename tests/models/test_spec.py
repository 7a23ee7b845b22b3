"""How a model is named."""

from __future__ import annotations

import pytest

from jam.errors import UsageError
from jam.models.spec import read_model


@pytest.mark.parametrize(
    ("spec", "provider", "name", "base_url"),
    [
        ("openai:Qwen/Qwen3.5-4B@http://localhost:8000/v1", "openai", "Qwen/Qwen3.5-4B", "http://localhost:8000/v1"),
        ("openai:m@https://example.org/v1/", "openai", "m", "https://example.org/v1"),
        ("openai:m@http://[::1]:8000/v1", "openai", "m", "http://[::1]:8000/v1"),
        ("openai:m@2@http://localhost/v1", "openai", "m@2", "http://localhost/v1"),
        ("openai:ft:small:org@1", "openai", "ft:small:org@1", None),
        ("openai:some-model", "openai", "some-model", None),
        (" anthropic:some-model\n", "anthropic", "some-model", None),
    ],
)
def test_a_spec_is_taken_apart(spec, provider, name, base_url):
    settings = read_model(spec)
    assert (settings.provider, settings.name, settings.base_url) == (provider, name, base_url)


@pytest.mark.parametrize(
    "spec",
    [
        "",
        "local",
        "openai:",
        ":name",
        "http://localhost:8000/v1",
        "openai:@http://localhost:8000/v1",
        "openai:m@ftp://localhost/v1",
        "openai:m@http://",
        "openai:m@http://:8000/v1",
        "openai:m@http://localhost:port/v1",
        "openai:m@http://localhost:99999/v1",
        "openai:m@http://[::1/v1",
    ],
)
def test_what_is_no_spec_is_told_with_what_would_do(spec):
    with pytest.raises(UsageError, match="http://"):
        read_model(spec)


@pytest.mark.parametrize(
    "spec", ["openai:m@http://user:hunter2@localhost/v1", "openai:m@http://hunter2@localhost/v1", "x://a:hunter2@b/"]
)
def test_a_password_in_a_url_is_refused_and_not_shown(spec):
    with pytest.raises(UsageError, match="password") as raised:
        read_model(spec)
    assert "hunter2" not in str(raised.value)


def test_a_name_of_the_settings_file_is_looked_up():
    named = {"local": {"spec": " openai:m@http://localhost/v1 ", "concurrency": 16, "extra": {"min_p": 0.1}}}
    settings = read_model("local", named)
    assert (settings.name, settings.base_url, settings.concurrency) == ("m", "http://localhost/v1", 16)
    assert settings.extra == {"min_p": 0.1}


def test_an_unknown_name_is_told_with_the_names_there_are():
    with pytest.raises(UsageError, match="local, other"):
        read_model("remote", {"other": {"spec": "openai:m"}, "local": {"spec": "openai:m"}})


@pytest.mark.parametrize(
    ("data", "word"),
    [
        ({}, "spec"),
        ("openai:m", "spec"),
        ({"spec": 5}, "spec"),
        ({"spec": "m"}, "understood"),
        ({"spec": "openai:m", "speed": 3}, "speed"),
        ({"spec": "openai:m", "protocol": "telepathy"}, "protocol"),
        ({"spec": "openai:m", "structured": True}, "structured"),
        ({"spec": "openai:m", "timeout_seconds": 0}, "timeout_seconds"),
        ({"spec": "openai:m", "timeout_seconds": "long"}, "timeout_seconds"),
        ({"spec": "openai:m", "timeout_seconds": None}, "timeout_seconds"),
        ({"spec": "openai:m", "retries": -1}, "retries"),
        ({"spec": "openai:m", "retries": float("nan")}, "retries"),
        ({"spec": "openai:m", "concurrency": 0}, "concurrency"),
        ({"spec": "openai:m", "concurrency": float("inf")}, "concurrency"),
        ({"spec": "openai:m", "concurrency": True}, "concurrency"),
        ({"spec": "openai:m", "temperature": "warm"}, "temperature"),
        ({"spec": "openai:m", "seed": -1}, "seed"),
        ({"spec": "openai:m", "context_tokens": "8k"}, "context_tokens"),
        ({"spec": "openai:m", "requests_per_minute": [1]}, "requests_per_minute"),
        ({"spec": "openai:m", "extra": [1]}, "extra"),
        ({"spec": "openai:m", "extra": {"when": {1, 2}}}, "extra"),
        ({"spec": "openai:m", "extra": {"p": float("nan")}}, "extra"),
        ({"spec": "openai:m", "extra": {1: 1, "a": 2}}, "extra"),
        ({"spec": "openai:m", "key_env": None}, "key_env"),
    ],
    ids=repr,
)
def test_a_wrong_setting_is_named(data, word):
    with pytest.raises(UsageError, match=word):
        read_model("local", {"local": data})


def test_the_key_comes_from_the_environment_and_is_in_nothing_that_is_written(monkeypatch):
    monkeypatch.setenv("A_API_KEY", " sk-very-secret\n")
    settings = read_model("local", {"local": {"spec": "openai:m", "key_env": "A_API_KEY"}})
    assert settings.key == "sk-very-secret"
    assert "secret" not in repr(settings) + str(settings.identity())
