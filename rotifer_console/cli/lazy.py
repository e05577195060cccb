"""Groups that load a command's module only when it is called: a listing must start fast (CLI-6).

Typer carries its own copy of click; the types of the methods overridden here come from there.
"""

from __future__ import annotations

import importlib
from collections.abc import Iterable, Mapping
from typing import Any, Final, cast

import typer
from typer._click import Command as ClickCommand
from typer._click import Context as ClickContext
from typer._click import HelpFormatter
from typer._click.exceptions import UsageError
from typer.core import TyperCommand, TyperGroup

from rotifer_console.cli import output
from rotifer_console.cli.exits import UsageRefused, one_line
from rotifer_console.cli.suggest import did_you_mean
from rotifer_console.cli.tree import Command, Group
from rotifer_console.view.safe_text import clipped

_FORMS: Final = {"--agent": "an agent goes as --agent=NAME", "--key": "a key goes as --key=KEY"}
"""Options whose value is often given as a word of its own."""


class VariadicCommand(TyperCommand):
    """A command some of whose options take several words: `--genes a b` means `--genes a --genes b`."""

    variadic: tuple[str, ...] = ()

    def parse_args(self, ctx: ClickContext, args: list[str]) -> list[str]:
        """The arguments, variadic options spelt out, as Typer parses them.

        A word too many is told what it may have been meant for: a key is an option, as it may begin with `-`.
        """
        words = list(self._spelt_out(args))
        try:
            return super().parse_args(ctx, list(words))
        except UsageError as error:
            hint = self._hint_at_options(ctx, words)
            if hint is None:
                raise
            raise UsageRefused(one_line(error), hint=hint) from None

    def _hint_at_options(self, ctx: ClickContext, words: list[str]) -> str | None:
        """The options by which a word too many can be given; None where there is no such word or option."""
        taken = {option for parameter in self.params for option in parameter.opts}
        forms = [form for option, form in _FORMS.items() if option in taken]
        try:
            _, left, _ = self.make_parser(ctx).parse_args(words)
        except UsageError:
            return None
        return "; ".join(forms) if forms and left else None

    def _spelt_out(self, args: Iterable[str]) -> Iterable[str]:
        option = None
        first = False
        for word in args:
            if word.startswith("-") and word != "-":
                option = word if word in self.variadic else None
                first = option is not None
            elif first:
                first = False
            elif option is not None:
                yield option
            yield word


class LazyGroup(TyperGroup):
    """A group whose commands stand in the tree and are built when asked for."""

    members: Mapping[str, Command | Group] = {}
    absent: Mapping[str, str] = {}

    def list_commands(self, ctx: ClickContext) -> list[str]:
        """The names, in the tree's order."""
        return list(self.members)

    def get_command(self, ctx: ClickContext, cmd_name: str) -> ClickCommand | None:
        """The command or group of that name, built now."""
        member = self.members.get(cmd_name)
        if member is None:
            return None
        return (
            _build_group(cmd_name, member) if isinstance(member, Group) else _build_command(cmd_name, member)
        )

    def parse_args(self, ctx: ClickContext, args: list[str]) -> list[str]:
        """Without arguments a group prints its help."""
        if not args and not ctx.resilient_parsing:
            output.write_line(ctx.get_help())
            ctx.exit()
        return super().parse_args(ctx, args)

    def resolve_command(
        self, ctx: ClickContext, args: list[str]
    ) -> tuple[str | None, ClickCommand | None, list[str]]:
        """The command that the first word names; a near miss is named and never run (CLI-5)."""
        word = args[0]
        if word not in self.members and not word.startswith("-") and not ctx.resilient_parsing:
            hint = self.absent.get(word) or did_you_mean(word, self.members)
            raise UsageRefused(
                f"{ctx.command_path} has no command {clipped(word)}",
                hint=hint or f"`{ctx.command_path} --help` lists the commands",
            )
        return super().resolve_command(ctx, args)

    def format_commands(self, ctx: ClickContext, formatter: HelpFormatter) -> None:
        """The list in the help, from the tree alone."""
        with formatter.section("Commands"):
            formatter.write_dl(
                [(name, member.help.partition("\n\n")[0]) for name, member in self.members.items()]
            )


def _build_group(name: str, group: Group) -> LazyGroup:
    built = LazyGroup(name=name, help=group.help, rich_markup_mode=None)
    built.members, built.absent = group.members, group.absent
    return built


def _build_command(name: str, command: Command) -> VariadicCommand:
    module_name, _, function_name = command.target.partition(":")
    function: Any = getattr(importlib.import_module(f"rotifer_console.cli.{module_name}"), function_name)
    app = typer.Typer(add_completion=False, rich_markup_mode=None, pretty_exceptions_enable=False)
    app.command(name, cls=VariadicCommand, help=command.help)(function)
    built = cast("VariadicCommand", typer.main.get_command(app))
    built.variadic = command.variadic
    return built
