"""What a store says of its footing: SQLite, files and modes, telemetry, the newest line (REC-4, REC-7)."""

from __future__ import annotations

import sqlite3

import pytest

from rotifer_store import MemoryStorageError, has_store, open_store
from storage.stage import AUDIT, DATABASE, START_US, TELEMETRY, folder_of, make_store, open_at_start


@pytest.fixture
def project(tmp_path):
    return make_store(tmp_path)


def named(health):
    return {file.name: file for file in health.files}


def test_a_sound_store_is_in_order(project):
    """REC-7."""
    with open_at_start(project) as store:
        health = store.health()
        assert health.sqlite_version == sqlite3.sqlite_version
        assert health.journal_mode == "wal"
        assert health.schema_version == 1
        assert health.newest_audit_us == START_US
        assert all(file.is_private and file.is_writable for file in health.files)
        files = named(health)
        assert {".rotifer", DATABASE, f"{DATABASE}-wal", f"{DATABASE}-shm", "playground.lock", AUDIT} <= set(
            files
        )
        assert (files[".rotifer"].mode, files[AUDIT].mode) == (0o700, 0o600)
        assert (files[TELEMETRY].exists, files[TELEMETRY].mode) == (False, None)


@pytest.mark.parametrize("mode", [0o604, 0o640, 0o601, 0o666])
@pytest.mark.parametrize("name", [AUDIT, DATABASE])
def test_a_file_that_others_may_use_shows(project, name, mode):
    """REC-7."""
    (folder_of(project) / name).chmod(mode)
    with open_at_start(project) as store:
        file = named(store.health())[name]
        assert (file.mode, file.is_private) == (mode, False)


def test_what_is_no_file_of_ours_shows(project):
    """REC-7: a link is not looked through, rotated logs count too."""
    with open_at_start(project) as store:
        closed = store.rotate_audit()
        closed.chmod(0o644)
        (folder_of(project) / TELEMETRY).symlink_to("/dev/null")
        files = named(store.health())
        assert not files[closed.name].is_private
        assert (files[TELEMETRY].exists, files[TELEMETRY].is_private) == (True, False)


@pytest.mark.parametrize(
    ("name", "value", "off_by"),
    [
        ("ROTIFER_TELEMETRY", " OFF ", "ROTIFER_TELEMETRY"),
        ("ROTIFER_TELEMETRY", "1", None),
        ("DO_NOT_TRACK", "yes", "DO_NOT_TRACK"),
        ("DO_NOT_TRACK", "0", None),
    ],
)
def test_it_is_said_what_switched_telemetry_off(project, monkeypatch, name, value, off_by):
    """REC-4."""
    monkeypatch.setenv(name, value)
    with open_at_start(project) as store:
        assert store.health().telemetry_off_by == off_by


@pytest.mark.parametrize(
    "end",
    [b"", b"garbage\n", b"\n" * 70_000, b"\xff" * 200_000, b'{"ts":' + b"[" * 100_000],
    ids=["whole", "garbage", "blank lines", "a long torn line", "nested"],
)
def test_the_newest_line_is_found_behind_whatever_follows_it(project, end):
    """REC-5: however far from the end it stands."""
    with open_at_start(project) as store:
        with (folder_of(project) / AUDIT).open("ab") as file:
            file.write(end)
        assert store.health().newest_audit_us == START_US


@pytest.mark.parametrize("line", [b'{"ts":"soon"}\n', b'{"ts":1}\n', b"{}\n", b"[]\n"])
def test_a_log_whose_newest_line_tells_no_time_has_none(project, line):
    """REC-5."""
    with open_at_start(project) as store:
        (folder_of(project) / AUDIT).write_bytes(line)
        assert store.health().newest_audit_us is None


def test_a_store_without_a_log_has_no_newest_line(project):
    (folder_of(project) / AUDIT).unlink()
    with open_at_start(project, read_only=True) as store:
        assert store.health().newest_audit_us is None


def test_a_log_that_cannot_be_read_is_an_error(project):
    """ERR."""
    with open_at_start(project) as store:
        (folder_of(project) / AUDIT).unlink()
        (folder_of(project) / AUDIT).mkdir()
        with pytest.raises(MemoryStorageError):
            store.health()


def test_asking_whether_there_is_a_store_makes_none(tmp_path):
    """python-api: sound or not."""
    assert not has_store(tmp_path)
    assert list(tmp_path.iterdir()) == []
    folder_of(tmp_path).mkdir()
    assert not has_store(tmp_path)
    (folder_of(tmp_path) / DATABASE).write_bytes(b"not a database")
    assert has_store(tmp_path)
    assert not has_store(state_dir=tmp_path)
    open_store(state_dir=tmp_path / "state").close()
    assert has_store(state_dir=tmp_path / "state")
