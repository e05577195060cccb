"""What the shells run on Tab: Typer's protocol with scripts of ours (CLI-5).

Typer's own scripts complain at the prompt when the program is gone, its zsh script completes nothing on the
first Tab, and its descriptions load Rich, though they hold no markup. Everything else of it is used as it is.
"""

from __future__ import annotations

from typing import Final

from typer import _completion_classes, _completion_shared

_BASH: Final = r"""
%(complete_func)s() {
    local IFS=$'\n'
    COMPREPLY=( $( env COMP_WORDS="${COMP_WORDS[*]}" COMP_CWORD="$COMP_CWORD" \
                   %(autocomplete_var)s=complete_bash "$1" 2>/dev/null ) )
    return 0
}

complete -o default -F %(complete_func)s %(prog_name)s
"""

# The function has the file's name: loaded on the first Tab, it takes the file's place and runs at once.
_ZSH: Final = """
#compdef %(prog_name)s

_%(prog_name)s() {
  eval "$(env _TYPER_COMPLETE_ARGS="${words[1,$CURRENT]}" \
%(autocomplete_var)s=complete_zsh %(prog_name)s 2>/dev/null)"
}

if [[ "$funcstack[1]" = "_%(prog_name)s" ]]; then
  _%(prog_name)s "$@"
else
  compdef _%(prog_name)s %(prog_name)s
fi
"""

_FISH: Final = (
    "complete --command %(prog_name)s --no-files "
    '--arguments "(env %(autocomplete_var)s=complete_fish _TYPER_COMPLETE_FISH_ACTION=get-args '
    '_TYPER_COMPLETE_ARGS=(commandline -cp) %(prog_name)s 2>/dev/null)" '
    '--condition "env %(autocomplete_var)s=complete_fish _TYPER_COMPLETE_FISH_ACTION=is-args '
    '_TYPER_COMPLETE_ARGS=(commandline -cp) %(prog_name)s 2>/dev/null"'
)


def install() -> None:
    """Puts our scripts in the place of Typer's, and keeps Rich out of its descriptions."""
    _completion_shared._completion_scripts.update(bash=_BASH, zsh=_ZSH, fish=_FISH)
    _completion_classes._sanitize_help_text = _as_it_is


def _as_it_is(text: str) -> str:
    return text
