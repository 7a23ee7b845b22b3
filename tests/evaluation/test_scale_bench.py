"""The bench of growth on small sizes: everything hidden is found, and what is added too."""

from __future__ import annotations

import json
from pathlib import Path

from click.testing import CliRunner

import jam
from jam.cli.main import cli
from tests.conftest import EXAMPLES


def test_growth_is_measured_and_everything_hidden_found(tmp_path: Path):
    arguments = ["bench", "scale", "--sessions", "20", "--sessions", "120", "--keep", str(tmp_path), "--json", "-q"]
    done = CliRunner().invoke(cli, [*arguments, "--source", str(EXAMPLES / "history" / "notes")])
    assert done.exit_code == 0, done.output
    small, large = json.loads(done.stdout)["sizes"]
    for row, count in ((small, 20), (large, 120)):
        assert row["sessions"] == count
        assert row["ask"]["found"] == 1.0
        assert row["add"]["found"]
        assert len(list(jam.Workspace.open(tmp_path / f"{count}.jam").sessions())) == count + 1
    assert large["index"]["messages"] > small["index"]["messages"] > 0


def test_what_is_no_history_is_refused(tmp_path: Path):
    done = CliRunner().invoke(cli, ["bench", "scale", "--source", str(tmp_path / "nowhere")])
    assert isinstance(done.exception, jam.JamError)
    assert "nowhere" in str(done.exception)
