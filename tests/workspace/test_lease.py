"""One writer at a time, none for ever: tried with real processes."""

import json
import os
import signal
import subprocess
import sys
import threading
import time
from pathlib import Path

import pytest

from jam.errors import WorkspaceBusy
from jam.workspace import lease as lease_module
from jam.workspace.files import TEMPORARY
from jam.workspace.lease import Lease, current_holder

COUNT = """
import sys
from pathlib import Path
from jam.workspace.lease import Lease
root = Path(sys.argv[1])
for _ in range(50):
    with Lease(root, wait_seconds=50):
        counter = root / "counter"
        counter.write_text(str(int(counter.read_text()) + 1))
"""
HOLD = """
import sys, time
from pathlib import Path
from jam.workspace.lease import Lease
lease = Lease(Path(sys.argv[1]), ttl_seconds=float(sys.argv[2]), purpose="hold")
lease.acquire()
print("held", flush=True)
time.sleep(60)
"""


def lease_file(root: Path) -> Path:
    return root / ".jam" / "lease.json"


@pytest.fixture
def hold(tmp_path):
    """Starts processes that take the lease and keep it."""
    processes = []

    def start(ttl: float = 30.0) -> subprocess.Popen[str]:
        command = [sys.executable, "-c", HOLD, str(tmp_path), str(ttl)]
        process = subprocess.Popen(command, stdout=subprocess.PIPE, text=True)
        processes.append(process)
        assert process.stdout is not None
        assert process.stdout.readline() == "held\n"
        return process

    yield start
    for process in processes:
        process.kill()
        process.wait()
        process.stdout.close()


def test_four_processes_never_write_at_once(tmp_path):
    (tmp_path / "counter").write_text("0")
    processes = [subprocess.Popen([sys.executable, "-c", COUNT, str(tmp_path)]) for _ in range(4)]
    assert [process.wait(60) for process in processes] == [0, 0, 0, 0]
    assert (tmp_path / "counter").read_text() == "200"
    assert not lease_file(tmp_path).exists()
    assert list((tmp_path / ".jam").glob(TEMPORARY)) == []


def test_a_killed_holder_is_replaced_at_once(tmp_path, hold):
    process = hold()
    assert current_holder(tmp_path).pid == process.pid
    process.send_signal(signal.SIGKILL)
    process.wait()
    assert current_holder(tmp_path) is None
    started = time.monotonic()
    with Lease(tmp_path, wait_seconds=5) as lease:
        assert current_holder(tmp_path).token == lease.token
    assert time.monotonic() - started < 1


def test_many_waiting_processes_take_over_from_a_killed_one_in_turn(tmp_path, hold):
    process = hold()
    (tmp_path / "counter").write_text("0")
    waiting = [subprocess.Popen([sys.executable, "-c", COUNT, str(tmp_path)]) for _ in range(3)]
    time.sleep(0.5)
    process.send_signal(signal.SIGKILL)
    process.wait()
    assert [other.wait(60) for other in waiting] == [0, 0, 0]
    assert (tmp_path / "counter").read_text() == "150"


def test_a_stopped_holder_expires_and_does_not_disturb_the_next(tmp_path, hold):
    process = hold(ttl=0.6)
    process.send_signal(signal.SIGSTOP)
    try:
        with Lease(tmp_path, wait_seconds=5, ttl_seconds=0.6) as lease:
            process.send_signal(signal.SIGCONT)
            time.sleep(0.5)
            lease.check()
    finally:
        process.send_signal(signal.SIGCONT)


def test_a_live_holder_is_not_reaped_however_long_it_works(tmp_path, hold):
    hold(ttl=0.5)
    with pytest.raises(WorkspaceBusy):
        Lease(tmp_path, wait_seconds=1.5).acquire()


def test_the_message_names_the_holder_and_what_to_do(tmp_path, hold):
    process = hold()
    with pytest.raises(WorkspaceBusy) as caught:
        Lease(tmp_path, wait_seconds=0.1).acquire()
    message = str(caught.value)
    for part in (str(tmp_path), f"process {process.pid}", "(hold)", "since 20", "run the command again", "30 s"):
        assert part in message


def test_waiting_is_bounded_and_short_when_the_lease_is_given_back(tmp_path):
    first = Lease(tmp_path)
    first.acquire()
    started = time.monotonic()
    with pytest.raises(WorkspaceBusy):
        Lease(tmp_path, wait_seconds=0.3).acquire()
    assert 0.25 < time.monotonic() - started < 2
    threading.Timer(0.2, first.release).start()
    with Lease(tmp_path, wait_seconds=5) as second:
        second.check()
    assert time.monotonic() - started < 3


def test_a_lease_taken_over_is_noticed_and_not_released(tmp_path):
    lost = Lease(tmp_path, purpose="build")
    lost.acquire()
    lost.check()
    os.utime(lease_file(tmp_path), (1, 1))
    with Lease(tmp_path) as new:
        with pytest.raises(WorkspaceBusy, match="the lease of this 'build' was lost"):
            lost.check()
        lost.release()
        new.check()
        assert current_holder(tmp_path).token == new.token


def test_without_a_lease_there_is_nothing_to_check_or_release(tmp_path):
    lease = Lease(tmp_path)
    lease.release()
    with pytest.raises(WorkspaceBusy):
        lease.check()
    with lease:
        lease.check()
    with lease:
        lease.check()
    assert current_holder(tmp_path) is None


def test_an_error_inside_gives_the_lease_back(tmp_path):
    with pytest.raises(KeyError), Lease(tmp_path):
        raise KeyError("x")
    assert current_holder(tmp_path) is None


def test_the_derived_folder_may_be_deleted_meanwhile(tmp_path):
    lease = Lease(tmp_path)
    lease.acquire()
    for path in (tmp_path / ".jam").iterdir():
        path.unlink()
    (tmp_path / ".jam").rmdir()
    with pytest.raises(WorkspaceBusy):
        lease.check()
    lease.release()


def test_a_number_used_again_by_another_process_is_not_the_holder(tmp_path):
    with Lease(tmp_path):
        holder = json.loads(lease_file(tmp_path).read_text())
    if not holder["space"]:
        pytest.skip("no /proc here")
    lease_file(tmp_path).write_text(json.dumps(holder | {"born": "1"}))
    assert current_holder(tmp_path) is None
    lease_file(tmp_path).write_text(json.dumps(holder | {"born": "1", "space": "another container"}))
    assert current_holder(tmp_path) is not None
    lease_file(tmp_path).write_text(json.dumps(holder | {"pid": 1 << 30}))
    with Lease(tmp_path, wait_seconds=0):
        pass


def test_a_half_written_lease_holds_until_it_is_old(tmp_path):
    lease_file(tmp_path).parent.mkdir()
    lease_file(tmp_path).write_text("{")
    with pytest.raises(WorkspaceBusy, match="another process"):
        Lease(tmp_path, wait_seconds=0).acquire()
    os.utime(lease_file(tmp_path), (1, 1))
    with Lease(tmp_path, wait_seconds=0):
        pass


def test_file_systems_without_links_and_locks_will_do(tmp_path, monkeypatch):
    def fail(*args: object) -> None:
        raise OSError("not supported")

    monkeypatch.setattr(os, "link", fail)
    monkeypatch.setattr(lease_module, "_lock", lambda handle: True)
    with Lease(tmp_path), pytest.raises(WorkspaceBusy):
        Lease(tmp_path, wait_seconds=0).acquire()
    with Lease(tmp_path) as lease:
        os.utime(lease_file(tmp_path), (1, 1))
        with Lease(tmp_path), pytest.raises(WorkspaceBusy):
            lease.check()


def test_a_lease_taken_in_the_moment_of_judging_goes_back(tmp_path, monkeypatch):
    with Lease(tmp_path) as live:
        real, judged = lease_module._read, json.loads(lease_file(tmp_path).read_text()) | {"token": "stale"}
        answers = [lease_module.Holder(**judged)]
        monkeypatch.setattr(lease_module, "_is_stale", lambda path: True)
        monkeypatch.setattr(lease_module, "_read", lambda path: answers.pop() if answers else real(path))
        lease_module._remove_stale(lease_file(tmp_path))
        live.check()


def test_a_process_ends_although_it_holds_the_lease(tmp_path):
    code = HOLD.replace("time.sleep(60)", "")
    started = time.monotonic()
    assert (
        subprocess.run(
            [sys.executable, "-c", code, str(tmp_path), "30"], stdout=subprocess.DEVNULL, timeout=20
        ).returncode
        == 0
    )
    assert time.monotonic() - started < 10
    with Lease(tmp_path, wait_seconds=0):
        pass
