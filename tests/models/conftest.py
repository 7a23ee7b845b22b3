"""What is imported for the first call of a model is imported before the tests: some of them measure time."""

from __future__ import annotations

import pytest

from tests.models.helpers import asking, model_of
from tests.servers import Say, ScriptedServer


@pytest.fixture(scope="session", autouse=True)
def _first_call():
    with ScriptedServer([Say("yes")]) as server:
        model_of(server).ask(asking(), "test")
