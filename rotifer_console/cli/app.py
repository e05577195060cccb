"""The root of the `rotifer` program; `start` calls it."""

from __future__ import annotations

import sys
from collections.abc import Mapping, Sequence
from typing import Annotated, Any, NoReturn

import typer

from rotifer_console.cli import completion, output, terminal, tree
from rotifer_console.cli.exits import run_guarded
from rotifer_console.cli.lazy import LazyGroup
from rotifer_console.cli.options import AsJson, Plain


class RootGroup(LazyGroup):
    """The whole program: whatever a command raises ends here as one line and a status (CLI-2)."""

    members: Mapping[str, tree.Command | tree.Group] = tree.ROOT.members

    def main(
        self,
        args: Sequence[str] | None = None,
        prog_name: str | None = None,
        complete_var: str | None = None,
        standalone_mode: bool = True,
        windows_expand_args: bool = True,
        **extra: Any,
    ) -> NoReturn:
        """Runs the command that the arguments name and exits with its status."""
        arguments = list(sys.argv[1:] if args is None else args)
        terminal.stand_in_for_closed_streams()
        mode = terminal.Mode()
        completion.install()

        def run() -> object:
            return super(RootGroup, self).main(
                arguments, "rotifer", complete_var, standalone_mode=False, obj=mode, **extra
            )

        sys.exit(run_guarded(run, mode, arguments))


app = typer.Typer(
    cls=RootGroup,
    help=tree.ROOT.help,
    rich_markup_mode=None,
    pretty_exceptions_enable=False,
    context_settings={"help_option_names": ["-h", "--help"]},
)


def _print_version(value: bool) -> None:
    if not value:
        return
    from importlib.metadata import version

    output.write_line(f"rotifer {version('rotifer-console')} (Python {sys.version.partition(' ')[0]})")
    raise typer.Exit


@app.callback()
def root(
    as_json: AsJson = False,
    plain: Plain = False,
    show_version: Annotated[
        bool,
        typer.Option("--version", callback=_print_version, is_eager=True, help="Print the version."),
    ] = False,
) -> None:
    """Takes the options that stand before the command."""


def main() -> None:
    """Runs the installed program; it exits with the command's status."""
    typer.main.get_command(app).main()


def main_console() -> None:
    """Runs `rotifer-console`, which is `rotifer console`."""
    typer.main.get_command(app).main(["console", *sys.argv[1:]])
