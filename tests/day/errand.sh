#!/usr/bin/env bash
# A deployer's errand in the dashboard, at a real terminal (tmux), with the `rotifer` that PATH finds:
# find the PREFERENCE that a gene left which is gone, see why it is there, export it, delete it, watch the
# audit line arrive, bring it back. Each step waits for what the screen shows; nothing waits for a time.
#
#   errand.sh COLUMNS LINES
set -euo pipefail
columns=$1
lines=$2
here=$(mktemp -d)
socket=$here/tmux
export TMPDIR=$here
trap 'tmux -S "$socket" kill-server 2>/dev/null || true; rm -rf "$here"' EXIT

screen() { tmux -S "$socket" capture-pane -p -t errand 2>/dev/null || true; }

fails() {
  echo "errand: $1" >&2
  screen >&2
  exit 1
}

shows() { # shows TEXT...: until all of them are on the screen
  local deadline=$((SECONDS + 60)) text missing
  while :; do
    missing=
    for text in "$@"; do
      screen | grep -qF -- "$text" || missing=$text
    done
    [ -n "$missing" ] || return 0
    [ $SECONDS -lt $deadline ] || fails "the screen does not show: $missing"
  done
}

hides() { # hides TEXT: until it is not on the screen any more
  local deadline=$((SECONDS + 60))
  until is_without "$1" && is_without "$1"; do
    [ $SECONDS -lt $deadline ] || fails "the screen still shows: $1"
  done
}

is_without() { # is_without TEXT: the screen is whole and does not hold it
  local now
  now=$(screen)
  grep -qF "rotifer  shop-agent" <<<"$now" && ! grep -qF -- "$1" <<<"$now"
}

has() { screen | grep -qE -- "$1"; }

# insists PATTERN KEY...: types the keys until the screen shows the pattern: a dialog takes no key that came
# before it listened, so the first ones may be lost
insists() {
  local pattern=$1 tries deadline
  shift
  for tries in $(seq 8); do
    press "$@"
    deadline=$((SECONDS + 8))
    while [ $SECONDS -lt $deadline ]; do
      if has "$pattern"; then return; fi
    done
  done
  fails "the screen does not come to show: $pattern, after $tries times $*"
}

# until_closed KEY: types the key until the deletion's dialog is gone
until_closed() {
  local tries deadline
  for tries in $(seq 8); do
    press "$1"
    deadline=$((SECONDS + 8))
    while [ $SECONDS -lt $deadline ]; do
      if is_without "Deleting cannot be undone" && is_without "Deleting cannot be undone"; then return; fi
    done
  done
  fails "the dialog is still open after $tries times $1"
}

press() { tmux -S "$socket" send-keys -t errand "$@"; }
types() { tmux -S "$socket" send-keys -t errand -l "$1"; }
step() { echo "== $1"; }
remembers() { (cd "$project" && rotifer agent memory list shop-agent --plain) | cut -f1 | grep -qxF mail/reply-rule; }

step "the demo opens its dashboard ($columns by $lines)"
cd "$here"
tmux -S "$socket" -f /dev/null new-session -d -s errand -x "$columns" -y "$lines" \
  "env LC_ALL=C.UTF-8 rotifer demo; echo status \$?; exec cat"
shows "shop-agent" "36 entries"
project=$(echo "$here"/rotifer-demo-*/demo-shop)
remembers || fails "the demo has no mail/reply-rule"

step "the review finds what a gene left that is gone"
press r
shows "enter goes there" "preference outside genome"
press Enter
shows "[All" "mail/reply-rule"

step "why it is there"
press w
shows "the newest last" "written by newsletter"
press Escape
hides "the newest last"
shows "[All" "mail/reply-rule"

step "it alone is listed; without the filter the cursor is still on it, and it is marked"
press /
types "reply-rule"
hides "mail/last-issue"
press Escape
shows "mail/last-issue" # the entry below the one that the cursor is on
press Space
shows "■"

step "it is exported"
press x
shows "enter: export"
insists "file +rule.jsonl" C-u r u l e . j s o n l
press Enter
shows "1 entry exported"
[ "$(wc -l <rule.jsonl)" -ge 1 ] || fails "the export is empty"
[ "$(stat -c %a rule.jsonl)" = 600 ] || fails "the export is not for its owner alone"

step "enter cancels a deletion, the word confirms it"
press d
shows "Deleting cannot be undone." "enter cancels"
until_closed Enter
remembers || fails "enter deleted it"
press d
shows "Deleting cannot be undone." "enter cancels"
insists "type delete, then enter deletes" Up
types "delete"
shows "enter deletes 1 entry"
press Enter
hides "Deleting cannot be undone."
shows "deleted"
! remembers || fails "it is still there"

step "the audit line has arrived"
press a
shows " lines" "deleted" "mail/reply-rule"
press Escape
hides " lines"
shows "[All"

step "the import brings it back"
press i
shows "enter: import"
insists "file +rule.jsonl" C-u r u l e . j s o n l
press Enter
shows "1 entry imported"
remembers || fails "the import did not bring it back"

step "q leaves, and nothing stays"
press q
shows "status 0"
[ ! -e "$project" ] || fails "the demo's project is still there"
step "an errand done"
