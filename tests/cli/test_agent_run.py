"""`rotifer agent run`: input, output, failures, and what genes print."""

from __future__ import annotations

from typing import Any

import pytest

ECHO = "def express(input, ctx): return input"


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ('{"a": [1, 2.5, null, true, "é"]}', {"a": [1, 2.5, None, True, "é"]}),
        ("null", None),
        ('"text"', "text"),
        (" [] ", []),
        ("-1", -1),
        ('"\\u001b[2J"', "\x1b[2J"),
        ('"\\ud800"', "\ud800"),
    ],
)
def test_an_input_is_any_json_and_so_is_the_output(project: Any, text: str, value: object) -> None:
    """CLI-1, CLI-4: `-1` and `-` must not be taken for options or each other."""
    project.add_gene("echo", ECHO)
    project.add_agent("main", "echo")
    outcome = project.run("agent", "run", "main", f"--input={text}")
    assert (outcome.exit_code, outcome.stderr) == (0, "")
    assert outcome.json() == value
    assert "\x1b" not in outcome.stdout
    assert project.run("agent", "run", "main", "--input", "-", "--json", stdin=text).json()["output"] == value


def test_a_result_has_the_rules_members(project: Any) -> None:
    """CLI-1."""
    project.add_gene("echo", ECHO)
    project.add_agent("main", "echo")
    with project.store() as store:
        assert store.agent("main").genes == ("echo",)
    gene_id = project.run("list", "--json").json()[0]["geneId"]
    assert project.run("agent", "run", "main", "--input", "1", "--json").json() == {
        "output": 1,
        "steps": [{"gene": "echo", "geneId": gene_id, "host": "python", "status": "ok", "error": None}],
    }


@pytest.mark.parametrize(
    "text", ["", "{", "{'a': 1}", "NaN", "[Infinity]", "a", "1 2", "[" * 100_000, "\udcff"]
)
def test_an_input_that_is_not_json_is_refused(project: Any, text: str) -> None:
    """CLI-2: by the argument alone, without quoting it."""
    project.add_gene("echo", ECHO)
    project.add_agent("main", "echo")
    outcome = project.run("agent", "run", "main", f"--input={text}", "--json")
    assert (outcome.exit_code, outcome.stdout) == (2, "")
    assert outcome.error()["message"] == "the --input is not JSON"


def test_stdin_that_is_not_utf_8_is_refused(project: Any) -> None:
    project.add_gene("echo", ECHO)
    project.add_agent("main", "echo")
    outcome = project.run("agent", "run", "main", "--input=-", "--json", stdin=b"\xff")
    assert (outcome.exit_code, outcome.error()["code"]) == (2, "USAGE")


def test_memory_lasts_from_run_to_run(project: Any) -> None:
    """AGT-1."""
    project.add_agent()
    assert project.run("agent", "run", "main", "--input", '{"write": [["k", "v", "CACHE"]]}').exit_code == 0
    assert project.run("agent", "run", "main", "--input", '{"read": ["k", "l"]}').json() == {
        "k": "v",
        "l": None,
    }


def test_a_failing_gene_gives_one_error_line_and_the_steps(project: Any) -> None:
    """CLI-1, CLI-2: stdout tells the steps under `--json`, and nothing without."""
    project.add_gene("echo", ECHO)
    project.add_gene(
        "bad", "def express(input, ctx):\n    secret = 'hunter2'\n    raise ValueError('no\\nway')"
    )
    project.add_agent("main", "echo", "bad", composition={"type": "Seq"})
    outcome = project.run("agent", "run", "main", "--input", "1")
    assert (outcome.exit_code, outcome.stdout) == (1, "")
    assert outcome.stderr == (
        "error[GENE_FAILED]: gene bad: ValueError: no␊way (index.py, line 3)\n"
        "hint: what its genes wrote before stays in the agent's memory\n"
    )
    outcome = project.run("agent", "run", "main", "--input", "1", "--json")
    assert outcome.exit_code == 1
    assert outcome.error()["code"] == "GENE_FAILED"
    assert outcome.json()["output"] is None
    assert [(step["gene"], step["status"]) for step in outcome.json()["steps"]] == [
        ("echo", "ok"),
        ("bad", "failed"),
    ]


def test_a_refused_memory_call_is_told_by_its_code(project: Any) -> None:
    project.add_agent()
    project.write(("notes/k", "v", "CACHE"))
    project.add_gene("spy", domain="spying")
    project.add_agent("other", "spy")
    with project.store() as store:
        store.set_genome("main", [gene_of(project, "spy")], {"type": "Single"})
    outcome = project.run("agent", "run", "main", "--input", '{"read": ["notes/k"]}', "--json")
    assert outcome.json()["steps"][0]["error"]["code"] == "MEMORY_ACCESS_DENIED"
    assert "MEMORY_ACCESS_DENIED" in outcome.error()["message"]


def gene_of(project: Any, name: str) -> Any:
    from rotifer_store import Gene

    return Gene.from_folder(project.root / "genes" / name)


def test_what_genes_print_never_reaches_stdout(project: Any) -> None:
    """HST-4: not by print, the descriptor, or a child of the gene's."""
    source = """
        import os, subprocess, sys
        print("printed")
        def express(input, ctx):
            sys.stdout.write("written\\n")
            sys.stdout.flush()
            os.write(1, b"to the descriptor\\n")
            subprocess.run(["echo", "from a child"], check=True)
            return "done"
    """
    project.add_gene("loud", source)
    project.add_agent("main", "loud")
    outcome = project.program("agent", "run", "main", "--input", "1", "--json")
    assert outcome.exit_code == 0
    assert outcome.json()["output"] == "done"
    assert sorted(outcome.stderr.splitlines()) == [
        "from a child",
        "printed",
        "to the descriptor",
        "written",
    ]


@pytest.mark.parametrize("where", [[], ["--in-process"]])
def test_ctrl_c_ends_a_run_with_130_and_no_traceback(project: Any, where: list[str]) -> None:
    """CLI-2."""
    source = """
        import os, signal, time
        def express(input, ctx):
            os.kill(os.getpid() if input else os.getppid(), signal.SIGINT)
            time.sleep(600)
    """
    project.add_gene("stopped", source)
    project.add_agent("main", "stopped")
    in_process = "true" if where else "false"
    assert project.program("agent", "run", "main", "--input", in_process, *where) == (130, "", "")


def test_a_gene_that_takes_too_long_is_ended_and_said_so(project: Any) -> None:
    """HST-4."""
    project.add_gene("endless", "def express(input, ctx):\n    while True: pass")
    project.add_agent("main", "endless")
    outcome = project.program("agent", "run", "main", "--input", "1", "--timeout", "0.5s", "--json")
    assert outcome.exit_code == 1
    assert outcome.error()["code"] == "GENE_FAILED"
    assert outcome.error()["message"] == "gene endless: express did not settle within 0.5 s and was ended"
    assert [step["status"] for step in outcome.json()["steps"]] == ["failed"]


@pytest.mark.parametrize("time", ["1s", "1.5m", "2 hours", "1d", "365d"])
def test_a_time_has_a_unit(project: Any, time: str) -> None:
    """CLI-6."""
    project.add_gene("echo", ECHO)
    project.add_agent("main", "echo")
    assert project.run("agent", "run", "main", "--input", "1", "--timeout", time).json() == 1


@pytest.mark.parametrize(
    "time", ["", "5", "1y", "0s", "-1s", "366d", "1e3s", "1s ", "٣s", "s", "nan", "inf s", "9" * 400 + "s"]
)
def test_a_time_of_another_form_is_refused(project: Any, time: str) -> None:
    """CLI-2, CLI-6: by the argument alone, before anything runs."""
    outcome = project.run("agent", "run", "main", "--input", "1", f"--timeout={time}", "--json")
    assert (outcome.exit_code, outcome.stdout) == (2, "")
    assert outcome.error()["code"] == "USAGE"
    assert outcome.error()["message"].startswith("--timeout ")


def test_nothing_promises_a_deadline_in_process(project: Any) -> None:
    """HST-1."""
    outcome = project.run("agent", "run", "main", "--input", "1", "--timeout=1s", "--in-process", "--json")
    assert (outcome.exit_code, outcome.error()["code"]) == (2, "USAGE")


@pytest.mark.parametrize("where", [[], ["--in-process"]])
def test_a_trace_is_a_line_on_stderr_for_each_call_without_a_value(project: Any, where: list[str]) -> None:
    """RUN-5, CLI-4."""
    project.add_agent()
    work = '{"write": [["k\\u001b[2J", "hunter2", "CACHE"]], "read": ["k\\u001b[2J", "l"], "delete": ["l"]}'
    outcome = project.program("agent", "run", "main", "--input", work, "--trace-memory", *where)
    assert (outcome.exit_code, outcome.stdout) == (1, "")
    *trace, error, _ = outcome.stderr.splitlines()
    assert trace == ["scribe: writeMemory k␛[2J: written", "scribe: deleteMemory l: MEMORY_NOT_FOUND"]
    assert error.startswith("error[GENE_FAILED]: gene scribe: MEMORY_NOT_FOUND")
    work = '{"read": ["k\\u001b[2J", "l"]}'
    outcome = project.program("agent", "run", "main", "--input", work, "--trace-memory", "--json", *where)
    assert outcome.json()["output"] == {"k\x1b[2J": "hunter2", "l": None}
    assert outcome.stderr == "scribe: readMemory k␛[2J: read\nscribe: readMemory l: nothing there\n"


def test_what_genes_print_in_process_never_reaches_stdout_either(project: Any) -> None:
    """HST-4."""
    project.add_gene(
        "loud", "import os\ndef express(input, ctx):\n    print('a', flush=True)\n    os.write(1, b'b\\n')"
    )
    project.add_agent("main", "loud")
    outcome = project.program("agent", "run", "main", "--input", "1", "--in-process")
    assert outcome == (0, "null\n", "a\nb\n")


@pytest.mark.parametrize("arguments", [["run", "mian", "--input", "1"], ["genes", "mian"]])
def test_an_unknown_agent_is_refused_with_its_neighbour(project: Any, arguments: list[str]) -> None:
    """CLI-5."""
    project.add_agent("main")
    outcome = project.run("agent", *arguments, "--json")
    assert (outcome.exit_code, outcome.error()) == (
        1,
        {"code": "AGENT_NOT_FOUND", "message": "there is no agent mian", "hint": "did you mean main?"},
    )


def test_a_gene_that_is_gone_is_told_by_name(project: Any) -> None:
    project.add_agent("main", "scribe")
    (project.root / "genes" / "scribe").rename(project.root / "genes" / "else")
    outcome = project.run("agent", "run", "main", "--input", "1", "--json")
    assert (outcome.exit_code, outcome.error()["code"]) == (1, "GENE_NOT_FOUND")
    assert "scribe" in outcome.error()["message"]


def test_only_stdin_is_a_dash(project: Any) -> None:
    """CLI-5: a file is not read by `--input`."""
    project.add_agent()
    (project.root / "1").write_text("{}")
    assert project.run("agent", "run", "main", "--input", "./1").exit_code == 2


def test_an_agent_without_genes_is_refused_and_told_how_to_get_some(project: Any) -> None:
    """CLI-2: by what is there; echoing the input would look like a run."""
    with project.store() as store:
        store.create_agent("empty")
    outcome = project.run("agent", "run", "empty", "--input", "1", "--json")
    assert (outcome.exit_code, outcome.stdout) == (1, "")
    assert outcome.error() == {
        "code": "AGENT_INVALID",
        "message": "agent empty has no genes to run",
        "hint": "`rotifer agent genes empty --set …` gives it genes",
    }
