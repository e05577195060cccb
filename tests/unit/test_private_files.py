"""The store's own files: for their owner alone, regular, never through a link, written whole or not."""

from __future__ import annotations

import os
import socket
import stat
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from rotifer_store.private_files import make_private_folder, open_private, write_whole

CREATES = os.O_RDWR | os.O_CREAT


@pytest.fixture(params=[0o000, 0o022, 0o077, 0o777], ids=oct)
def umask(request: pytest.FixtureRequest) -> Iterator[int]:
    before = os.umask(request.param)
    try:
        yield request.param
    finally:
        os.umask(before)


def mode_of(path: Path) -> int:
    return stat.S_IMODE(path.stat().st_mode)


def test_a_new_folder_is_the_owners(tmp_path: Path, umask: int) -> None:
    """REC-7: never more than 0700, whatever the umask lets through."""
    make_private_folder(tmp_path / "state")
    assert mode_of(tmp_path / "state") == 0o700 & ~umask


def test_a_new_file_is_the_owners(tmp_path: Path, umask: int) -> None:
    """REC-7: never more than 0600."""
    os.close(open_private(tmp_path / "log", CREATES))
    assert mode_of(tmp_path / "log") == 0o600 & ~umask


def test_a_folder_that_stands_keeps_its_mode_and_content(tmp_path: Path) -> None:
    """REC-7: it is the deployer's to widen."""
    folder = tmp_path / "state"
    folder.mkdir(mode=0o750)
    (folder / "theirs").write_text("kept")
    make_private_folder(folder)
    assert mode_of(folder) == 0o750
    assert (folder / "theirs").read_text() == "kept"


def test_missing_parents_are_made(tmp_path: Path) -> None:
    make_private_folder(tmp_path / "a" / "b" / "state")
    assert mode_of(tmp_path / "a" / "b" / "state") == 0o700


def test_a_file_that_stands_keeps_its_mode_and_content(tmp_path: Path) -> None:
    """REC-7."""
    path = tmp_path / "log"
    path.write_bytes(b"kept")
    path.chmod(0o640)
    os.close(open_private(path, CREATES))
    assert (mode_of(path), path.read_bytes()) == (0o640, b"kept")


def a_file(path: Path) -> None:
    path.write_bytes(b"")


def a_fifo(path: Path) -> None:
    os.mkfifo(path)


def a_link_to_nothing(path: Path) -> None:
    path.symlink_to(path.with_name("elsewhere"))


def a_link_to_a_file(path: Path) -> None:
    path.with_name("elsewhere").write_bytes(b"theirs")
    path.symlink_to(path.with_name("elsewhere"))


def a_link_to_itself(path: Path) -> None:
    path.symlink_to(path)


def a_socket(path: Path) -> None:
    with socket.socket(socket.AF_UNIX) as server:
        here = Path.cwd()
        os.chdir(path.parent)  # a socket's address is short
        try:
            server.bind(path.name)
        finally:
            os.chdir(here)


def a_folder(path: Path) -> None:
    path.mkdir()


@pytest.mark.parametrize("make", [a_file, a_fifo, a_link_to_nothing, a_link_to_a_file, a_link_to_itself])
def test_what_is_no_folder_is_not_taken_for_one(tmp_path: Path, make: Callable[[Path], None]) -> None:
    """REC-7."""
    make(tmp_path / "state")
    with pytest.raises(OSError):
        make_private_folder(tmp_path / "state")


@pytest.mark.parametrize(
    "make", [a_fifo, a_folder, a_socket, a_link_to_nothing, a_link_to_a_file, a_link_to_itself]
)
@pytest.mark.parametrize(
    "flags", [os.O_RDONLY, CREATES, os.O_WRONLY | os.O_APPEND | os.O_CREAT], ids=["read", "both", "append"]
)
def test_what_is_no_regular_file_is_not_opened(
    tmp_path: Path, make: Callable[[Path], None], flags: int
) -> None:
    """REC-7: and a pipe without a reader does not make the store wait."""
    path = tmp_path / "log"
    make(path)
    before = sorted(os.listdir("/dev/fd"))
    with pytest.raises(OSError):
        open_private(path, flags)
    assert sorted(os.listdir("/dev/fd")) == before
    elsewhere = tmp_path / "elsewhere"
    assert not elsewhere.exists() or elsewhere.read_bytes() == b"theirs"


def test_a_missing_file_is_created_only_where_asked(tmp_path: Path) -> None:
    with pytest.raises(FileNotFoundError):
        open_private(tmp_path / "log", os.O_RDWR)
    assert not (tmp_path / "log").exists()


def test_a_descriptor_does_not_leak_into_programs(tmp_path: Path) -> None:
    """REC-7."""
    descriptor = open_private(tmp_path / "log", CREATES)
    try:
        assert not os.get_inheritable(descriptor)
    finally:
        os.close(descriptor)


def test_data_is_appended_whole(tmp_path: Path) -> None:
    """REC-5: whatever stood there before."""
    path = tmp_path / "log"
    path.write_bytes(b"one\n")
    descriptor = open_private(path, os.O_WRONLY | os.O_APPEND)
    try:
        write_whole(descriptor, b"two\n" * 10_000)
        write_whole(descriptor, b"")
    finally:
        os.close(descriptor)
    assert path.read_bytes() == b"one\n" + b"two\n" * 10_000


def test_a_part_of_the_data_is_a_failure() -> None:
    """REC-3: a full pipe takes only what it has room for, as a full disk does."""
    reading, writing = os.pipe()
    try:
        os.set_blocking(writing, False)
        with pytest.raises(OSError, match="only a part"):
            write_whole(writing, bytes(4_000_000))
        with pytest.raises(BlockingIOError):
            write_whole(writing, bytes(100_000))
    finally:
        os.close(reading)
        os.close(writing)
