"""The dashboard at a real terminal: how it begins, how it ends, and what it leaves behind (TUI-1, TUI-12)."""

from __future__ import annotations

import base64
import os
import re
import signal
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from dashboard.terminal import PROGRAM, Terminal
from rotifer_store import Gene, open_store

GENE = Gene("v2:" + "a" * 64, "format", "indent", "1.0.0")
SECRET = "S3CR3T-VALUE"
DOOMED = Path(__file__).with_name("doomed.py")
JOB_SHELL = Path(__file__).with_name("job_shell.py")
KEY = "formatter/indent"
READY = "2 entries"
"""What the header says once the entries are listed; a key may stand in the audit strip before."""

Start = Callable[..., Terminal]


@pytest.fixture
def start(tmp_path: Path) -> Iterator[Start]:
    """Starts the program, or one with a fault in it, in a project whose values are the secret."""
    (tmp_path / "rotifer.json").write_text("{}")
    (tmp_path / ".secret").write_text(SECRET)
    with open_store(tmp_path) as store:
        store.create_agent("main", genes=[GENE])
        memory = store.gene_memory("main", GENE)
        memory.write_memory(KEY, SECRET.encode(), "PREFERENCE")
        memory.write_memory("é/键", SECRET.encode() * 90, "CACHE")
    started: list[Terminal] = []

    def begin(*arguments: str, fault: str | None = None, as_job: bool = False, **settings: Any) -> Terminal:
        command = [PROGRAM] if fault is None else [sys.executable, DOOMED, fault]
        if as_job:
            command = [sys.executable, JOB_SHELL, *command]
        started.append(Terminal([*command, "console", *arguments], tmp_path, **settings))
        return started[-1]

    yield begin
    for terminal in started:
        terminal.close()


def assert_nothing_is_left(terminal: Terminal) -> None:
    """Modes are back, echo is back, and no value came out, into no file either."""
    assert terminal.modes_left_on() == set()
    assert terminal.attributes() == terminal.modes_before
    assert SECRET not in terminal.raw
    assert SECRET not in terminal.told
    assert files_with_the_secret(terminal) == set()


def files_with_the_secret(terminal: Terminal) -> set[str]:
    """The files below the project that hold it, the database and the secret's own aside."""
    files = [path for path in terminal.stderr.parent.rglob("*") if path.is_file()]
    return {
        path.name
        for path in files
        if path.name != ".secret"
        and not path.name.startswith("playground.db")
        and SECRET.encode() in path.read_bytes()
    }


@pytest.mark.parametrize(
    ("leave", "status"),
    [
        (lambda terminal: terminal.type("q"), 0),
        (lambda terminal: terminal.type("\x03"), 130),
        (lambda terminal: terminal.child.send_signal(signal.SIGINT), 130),
        (lambda terminal: terminal.child.send_signal(signal.SIGTERM), 143),
        (lambda terminal: terminal.child.send_signal(signal.SIGHUP), 129),
    ],
    ids=["q", "ctrl-c", "SIGINT", "SIGTERM", "SIGHUP"],
)
def test_it_ends_quietly_and_puts_the_terminal_back(
    start: Start, leave: Callable[[Terminal], None], status: int
) -> None:
    """TUI-1, CLI-2."""
    terminal = start()
    terminal.wait_for(READY)
    assert terminal.modes_left_on() >= {"1049", "no cursor"}
    leave(terminal)
    assert (terminal.end(), terminal.told) == (status, "")
    assert_nothing_is_left(terminal)


@pytest.mark.parametrize(
    ("fault", "typed"),
    [
        ("line", ""),
        ("compositor", "?sort"),
        ("compose", ""),
        ("mount", ""),
        ("css", ""),
        ("key", "x"),
        ("handler", " "),
        ("callback", " "),
        ("thread", " "),
        ("timer", ""),
        ("look", ""),
        ("lane", ""),
        ("answer", ""),
        ("input", "x"),
        ("saving", "q"),
    ],
)
def test_a_defect_ends_it_with_one_line_that_tells_the_class_alone(
    start: Start, fault: str, typed: str
) -> None:
    """TUI-12: on the screen's thread, in Textual's own, in a lane's, in a timer."""
    terminal = start(fault=fault)
    if typed:
        terminal.wait_for(READY)
        terminal.type(typed)
    assert terminal.end() == 1
    assert re.fullmatch(r"error\[INTERNAL\]: [A-Za-z]+, which should not have happened\n", terminal.told)
    assert_nothing_is_left(terminal)


@pytest.mark.parametrize("fault", ["handler", "thread"])
def test_a_defect_while_a_value_is_on_the_screen_leaves_it_nowhere(start: Start, fault: str) -> None:
    """TUI-12: no file, no line on stderr, and the screen that had it is gone from the terminal."""
    terminal = start(fault=fault, size=(130, 60))
    terminal.wait_for(READY)
    terminal.type("v")
    terminal.wait_for(SECRET)
    terminal.type(" ")
    assert terminal.end() == 1
    assert SECRET not in terminal.told
    assert SECRET not in terminal.raw.rpartition("\x1b[?1049l")[2]
    assert files_with_the_secret(terminal) == set()
    assert terminal.modes_left_on() == set()


def test_leaving_while_the_mouse_moves_leaves_nothing_to_whoever_comes_next(start: Start) -> None:
    """TUI-1: a shell would take what the mouse has told for typed text."""
    terminal = start()
    terminal.wait_for(READY)
    terminal.type("q")
    while "\x1b[?2004l" not in terminal.raw:  # the first of what it takes back; the mouse comes next
        terminal.type("\x1b[<35;40;10M")
        terminal.read(0.001)
    assert (terminal.end(), terminal.told) == (0, "")
    assert terminal.left_unread() == b""
    assert_nothing_is_left(terminal)


def test_what_is_pasted_into_a_box_stays_there_and_a_lone_escape_leaves_it(start: Start) -> None:
    """TUI-6: emoji and keys of actions are text; escape is not taken for the beginning of more."""
    terminal = start()
    terminal.wait_for(READY)
    terminal.type("/")
    terminal.wait_for("cat:CACHE")
    terminal.type("\x1b[200~\U0001f600 dq\n\x1b[201~")
    terminal.wait_for("\U0001f600 dq")
    terminal.wait_for("no entry matches")
    terminal.forget_shown()
    terminal.type("\x1b")
    terminal.wait_for(KEY)
    terminal.type("q")
    assert (terminal.end(within_s=10), terminal.told) == (0, "")
    assert_nothing_is_left(terminal)


def test_a_paste_whose_end_never_comes_is_over_when_it_falls_silent(start: Start) -> None:
    """TUI-6: its text is in the box, and keys count again."""
    terminal = start()
    terminal.wait_for(READY)
    terminal.type("/")
    terminal.wait_for("cat:CACHE")
    terminal.type("\x1b[200~dq")
    terminal.wait_for("no entry matches")
    terminal.type("\x1b")
    terminal.forget_shown()
    terminal.wait_for(KEY)
    terminal.type("q")
    assert (terminal.end(within_s=10), terminal.told) == (0, "")
    assert_nothing_is_left(terminal)


@pytest.mark.parametrize("ctrl_c", ["\x03", "\x1b[99;5u"], ids=repr)
def test_ctrl_c_counts_in_a_paste_that_does_not_end(start: Start, ctrl_c: str) -> None:
    """CLI-2."""
    terminal = start()
    terminal.wait_for(READY)
    terminal.type("\x1b[200~" + "dq" * 1500)
    terminal.type(ctrl_c)
    assert (terminal.end(within_s=10), terminal.told) == (130, "")
    assert_nothing_is_left(terminal)


@pytest.mark.parametrize(
    ("number", "status"), [(signal.SIGTERM, 143), (signal.SIGHUP, 129), (signal.SIGINT, 130)]
)
def test_a_signal_ends_it_at_a_terminal_that_reads_nothing(start: Start, number: int, status: int) -> None:
    """TUI-12: within seconds, and whoever reads at last finds the terminal put back."""
    terminal = start()
    terminal.wait_for(READY)
    terminal.fill()
    terminal.type("y" * 100)  # each is a text for the terminal
    terminal.child.send_signal(number)
    assert terminal.child.wait(10) == status
    terminal.end()
    assert_nothing_is_left(terminal)


def test_a_terminal_that_reads_again_gets_the_screen_as_it_is(start: Start) -> None:
    """TUI-9: what was not drawn meanwhile is drawn then."""
    terminal = start(fault="tight")
    terminal.wait_for(READY)
    terminal.fill()
    terminal.type("yyyyyyyy?")
    terminal.wait_for("narrow")
    terminal.type("\x1b")
    terminal.forget_shown()
    terminal.wait_for(KEY)
    terminal.type("q")
    assert (terminal.end(), terminal.told) == (0, "")
    assert_nothing_is_left(terminal)


def test_the_terminal_knows_its_size_better_than_the_environment(start: Start) -> None:
    """TUI-1: what a shell exported long ago is not where it is drawn."""
    terminal = start(size=(120, 36), COLUMNS="40", LINES="12")
    terminal.wait_for(READY)
    lines = {int(line) for line in re.findall(r"\x1b\[(\d+);\d+H", terminal.raw)}
    assert max(lines) == 36
    terminal.type("q")
    assert (terminal.end(), terminal.told) == (0, "")


@pytest.mark.parametrize("how", [signal.SIGTSTP, signal.SIGSTOP], ids=["SIGTSTP", "SIGSTOP"])
def test_it_goes_on_after_it_was_stopped(start: Start, how: int) -> None:
    """TUI-12: drawn anew, one reader of keys, and the terminal put back in the end."""
    terminal = start()
    terminal.wait_for(READY)
    threads = terminal.threads
    for _ in range(3):
        terminal.child.send_signal(how)
        os.waitid(os.P_PID, terminal.child.pid, os.WSTOPPED)
        while terminal.read(0):
            pass
        assert (terminal.modes_left_on() == set()) == (how == signal.SIGTSTP)
        terminal.forget_shown()
        terminal.child.send_signal(signal.SIGCONT)
        terminal.wait_for(READY)
    terminal.type("y" * 20)
    terminal.wait_for("was sent to the terminal's clipboard")
    assert terminal.threads - threads < 3  # each time would leave one that reads and one that writes
    terminal.type("q")
    assert (terminal.end(within_s=10), terminal.told) == (0, "")
    assert terminal.raw.count("\x1b]52;") == 20
    assert_nothing_is_left(terminal)


def job_of(terminal: Terminal) -> int:
    """The process that the shell runs."""
    job = re.search(r"job (\d+)\n", terminal.told)
    assert job is not None
    return int(job[1])


@pytest.mark.parametrize("how", [signal.SIGTSTP, signal.SIGSTOP], ids=["SIGTSTP", "SIGSTOP"])
def test_behind_others_it_stays_stopped_and_in_front_it_goes_on(start: Start, how: int) -> None:
    """TUI-12: as `bg` and `fg` of a shell have it."""
    terminal = start(as_job=True)
    terminal.wait_for(READY)
    for number in range(3):
        os.kill(job_of(terminal), how)
        terminal.wait_until_told("stopped", 2 * number + 1)
        terminal.type("b\n")
        terminal.wait_until_told("stopped", 2 * number + 2)
        while terminal.read(0):
            pass
        terminal.forget_shown()
        terminal.type("f\n")
        terminal.wait_for(READY)
    terminal.type("y" * 20)
    terminal.wait_for("was sent to the terminal's clipboard")
    terminal.type("q")
    assert terminal.end(within_s=10) == 0
    assert terminal.raw.count("\x1b]52;") == 20
    assert terminal.told.split("\n")[1:] == ["stopped"] * 6 + [""]
    assert_nothing_is_left(terminal)


@pytest.mark.parametrize("how", [signal.SIGTSTP, signal.SIGSTOP], ids=["SIGTSTP", "SIGSTOP"])
@pytest.mark.parametrize(("number", "status"), [(signal.SIGTERM, 143), (signal.SIGHUP, 129)])
def test_told_to_end_while_it_is_stopped_it_ends_when_it_may(
    start: Start, how: int, number: int, status: int
) -> None:
    """TUI-12: it does not wait to be in front again, and leaves the modes to who has the terminal."""
    terminal = start(as_job=True)
    terminal.wait_for(READY)
    os.kill(job_of(terminal), how)
    terminal.wait_until_told("stopped")
    os.kill(job_of(terminal), number)
    terminal.type("b\n")
    assert terminal.end(within_s=10) == status
    assert terminal.told.split("\n")[1:] == ["stopped", ""]
    assert terminal.modes_left_on() == set()


@pytest.mark.parametrize("stray", ["\udcff\udcfe\udc80", "\udce4", "\udc9b1"])
def test_bytes_that_are_no_text_are_no_keys(start: Start, stray: str) -> None:
    """TUI-12: an old mouse report, or a terminal of another encoding; the next key counts."""
    terminal = start()
    terminal.wait_for(READY)
    terminal.type(stray)
    terminal.type("y")
    terminal.wait_for("was sent to the terminal's clipboard")
    terminal.type("q")
    assert (terminal.end(within_s=10), terminal.told) == (0, "")
    assert_nothing_is_left(terminal)


def test_what_is_copied_goes_to_the_terminal_and_to_no_other_program(start: Start) -> None:
    """TUI-8: one sequence, which the terminal may take; the screen says sent."""
    terminal = start()
    terminal.wait_for(READY)
    terminal.type("\x1b[F")  # the last one, whose key is plain
    terminal.type("y")
    terminal.wait_for("the key was sent to the terminal's clipboard")
    assert f"\x1b]52;c;{base64.b64encode(KEY.encode()).decode()}\a" in terminal.raw
    terminal.type("q")
    assert (terminal.end(), terminal.told) == (0, "")
    assert_nothing_is_left(terminal)


@pytest.mark.parametrize("fault", ["slow", "slow-opening"])
def test_it_leaves_at_once_although_the_store_does_not_answer(start: Start, fault: str) -> None:
    """TUI-9."""
    terminal = start(fault=fault)
    terminal.wait_for("reading the store")
    terminal.type("q")
    assert (terminal.end(within_s=5), terminal.told) == (0, "")
    assert_nothing_is_left(terminal)


def test_it_ends_when_its_terminal_is_closed(start: Start) -> None:
    """TUI-12."""
    terminal = start()
    terminal.wait_for(READY)
    terminal.hang_up()
    assert terminal.child.wait(20) == 129
    assert terminal.told == ""


def test_it_ends_when_its_terminal_is_closed_and_no_signal_says_so(start: Start) -> None:
    """TUI-12: a terminal that is not the one of the session."""
    terminal = start(controls=False)
    terminal.wait_for(READY)
    terminal.hang_up()
    assert terminal.child.wait(20) == 129
    assert terminal.told == ""


def test_nothing_is_drawn_on_stderr(start: Start) -> None:
    """CLI-1: a value that was revealed must not be in `2> file`."""
    terminal = start("--agent", "main", size=(130, 60))
    terminal.wait_for(READY)
    terminal.type("v")
    terminal.wait_for(SECRET)
    terminal.type("q")
    assert (terminal.end(), terminal.told) == (0, "")


def test_the_environment_cannot_make_it_write_files(start: Start, tmp_path: Path) -> None:
    """TUI-12: Textual would log, and save pictures."""
    before = {path for path in tmp_path.rglob("*") if ".rotifer" not in path.parts}
    terminal = start(
        TEXTUAL_LOG=str(tmp_path / "log"),
        TEXTUAL_SCREENSHOT="0",
        TEXTUAL_SCREENSHOT_LOCATION=str(tmp_path),
        TEXTUAL_SHOW_RETURN="1",
        TEXTUAL_PRESS="v,v,v",
        TEXTUAL_DRIVER="no_such:Driver",
        TEXTUAL="debug,devtools",
    )
    terminal.wait_for(READY)
    terminal.type("q")
    assert (terminal.end(), terminal.told) == (0, "")
    after = {path for path in tmp_path.rglob("*") if ".rotifer" not in path.parts}
    assert {path.name for path in after - before} <= {".stderr", ".local", "state", "rotifer", "console.json"}


COLOURS = re.compile(r"\x1b\[(?:[0-9;]*;)?(?:3[0-8]|4[0-8]|9[0-7]|10[0-7])(?:;[0-9;]*)?m")


@pytest.mark.parametrize(("value", "coloured"), [("1", False), ("", True)])
def test_only_a_no_color_that_is_not_empty_takes_the_colours(
    start: Start, value: str, coloured: bool
) -> None:
    """CLI-3."""
    terminal = start(NO_COLOR=value)
    terminal.wait_for(READY)
    terminal.type("q")
    terminal.end()
    assert bool(COLOURS.search(terminal.raw)) is coloured


@pytest.mark.parametrize(
    "environment",
    [{"TERM": "linux"}, {"LC_ALL": "C"}, {"LANG": "C"}, {"PYTHONIOENCODING": "ascii"}],
    ids=str,
)
def test_a_terminal_that_prints_only_ascii_gets_only_that(start: Start, environment: dict[str, str]) -> None:
    """CLI-3: keys too, cell for cell."""
    terminal = start(**environment)
    terminal.wait_for(READY)
    assert "?/??" in terminal.shown
    terminal.type("?")
    terminal.wait_for("narrow")
    terminal.forget_shown()
    terminal.type("\x1b")
    terminal.wait_for("?/??")
    terminal.type("q")
    assert (terminal.end(), terminal.told) == (0, "")
    assert terminal.raw.isascii()
    assert_nothing_is_left(terminal)


def outcome(*arguments: str, folder: Path, **environment: str) -> tuple[int, str, str]:
    finished = subprocess.run(
        [PROGRAM, "console", *arguments],
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        cwd=folder,
        env={"PATH": os.environ["PATH"], "HOME": str(folder), "LANG": "C.UTF-8", **environment},
        check=False,
    )
    return finished.returncode, finished.stdout, finished.stderr


def test_without_a_terminal_it_says_what_to_do_instead(tmp_path: Path) -> None:
    """CLI-2."""
    status, stdout, stderr = outcome(folder=tmp_path)
    assert (status, stdout) == (2, "")
    error, hint = stderr.splitlines()
    assert error == "error[USAGE]: the dashboard needs a terminal on stdin and stdout"
    assert "rotifer agent memory list" in hint


def test_a_dumb_terminal_is_told_what_to_do_instead(start: Start) -> None:
    """CLI-3."""
    terminal = start(TERM="dumb")
    assert terminal.end() == 2
    assert "rotifer agent memory list" in terminal.told
    assert terminal.raw == ""


def test_outside_a_project_it_says_so(tmp_path: Path) -> None:
    """CLI-2."""
    terminal = Terminal([PROGRAM, "console"], tmp_path)
    try:
        assert terminal.end() == 1
        assert terminal.told.startswith("error[PROJECT_NOT_FOUND]: ")
    finally:
        terminal.close()


def test_an_agent_that_is_not_there_is_a_near_miss(start: Start) -> None:
    """CLI-5."""
    terminal = start("--agent", "mian")
    assert terminal.end() == 1
    assert terminal.told == "error[AGENT_NOT_FOUND]: there is no agent mian\nhint: did you mean main?\n"


def test_the_view_is_kept_and_brought_back(start: Start, tmp_path: Path) -> None:
    """TUI-11: never a key or a value."""
    terminal = start()
    terminal.wait_for(READY)
    terminal.type("T")
    terminal.wait_for("theme: light")
    terminal.type("q")
    assert terminal.end() == 0
    state = tmp_path / ".local" / "state" / "rotifer" / "console.json"
    assert '"look": "light"' in state.read_text()
    assert state.stat().st_mode & 0o777 == 0o600
    assert KEY not in state.read_text()
    again = start()
    again.wait_for(READY)
    again.type("T")
    again.wait_for("theme: high contrast")


def test_a_rebound_key_works_at_the_terminal(start: Start, tmp_path: Path) -> None:
    """TUI-11."""
    settings = tmp_path / ".config" / "rotifer" / "console.toml"
    settings.parent.mkdir(parents=True)
    settings.write_text('[keys]\nquit = ["Q", "f10"]\nnonsense = "x"\n')
    terminal = start()
    terminal.wait_for("console.toml: nonsense: there is no such action")
    terminal.type("q?")
    terminal.wait_for("narrow")
    terminal.type("quit")
    terminal.wait_for("Q f10")
    terminal.type("\r")
    assert (terminal.end(), terminal.told) == (0, "")
