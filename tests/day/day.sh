#!/usr/bin/env bash
# A deployer's day with the installed program, whichever `rotifer` stands first on PATH: every step is checked,
# and the first that goes wrong ends the day. Nothing outside a folder of its own is touched.
set -euo pipefail

folder=$(mktemp -d)
follower=
trap '[ -z "$follower" ] || kill "$follower" 2>/dev/null || true; rm -rf "$folder"' EXIT
export HOME=$folder
cd "$folder"

step() { echo "== $*"; }
fail() { echo "day: $*" >&2; exit 1; }
# says TEXT COMMAND...: the command succeeds, and its stdout or stderr says so
says() {
  local text=$1 said
  shift
  said=$("$@" 2>&1) || fail "$* exited with $?: $said"
  grep -qF -- "$text" <<<"$said" || fail "$* did not say $text, but: $said"
}
# exits STATUS COMMAND...: the command ends with that status
exits() {
  local wanted=$1 status=0
  shift
  "$@" >/dev/null 2>&1 || status=$?
  [ "$status" -eq "$wanted" ] || fail "$* exited with $status, not $wanted"
}
# is COUNT COMMAND...: the command prints so many lines
is() {
  local wanted=$1 lines
  shift
  lines=$("$@" 2>/dev/null | wc -l)
  [ "$lines" -eq "$wanted" ] || fail "$* printed $lines lines, not $wanted"
}
# first COMMAND...: somebody reads one line and leaves; nobody complains
first() {
  local line
  line=$("$@" 2>"$folder/complaints" | head -1) || fail "$* | head -1 exited with $?"
  [ -n "$line" ] || fail "$* | head -1 printed nothing"
  ! grep -qiE 'error|traceback|pipe' "$folder/complaints" || fail "$* | head -1 complained: $(cat "$folder/complaints")"
}
# within_a_minute COMMAND...: the command succeeds soon
within_a_minute() {
  for _ in $(seq 300); do
    if "$@"; then return; fi
    sleep 0.2
  done
  fail "a minute passed without: $*"
}

step "a project with two genes, one of which keeps something to itself"
says genes/date-style rotifer init desk
cd desk
mkdir genes/reader genes/clerk
cat >genes/reader/index.py <<'GENE'
def express(input, ctx):
    days = lambda n: {"maxRetentionDays": n, "autoDeleteOnTermination": False, "anonymizationSupported": False}
    own = {"readScope": "CREATOR_GENE_ONLY", "writeScope": "CREATOR_GENE_ONLY", "sharePolicy": "PRIVATE"}
    ctx.memory.write_memory("mail/today", b"three letters", "CONTEXT", retention_policy=days(1))
    ctx.memory.write_memory("mail/month", b"forty letters", "CONTEXT", retention_policy=days(30))
    ctx.memory.write_memory("mail/cursor", b"4711", "PATTERN", access_policy=own)
    ctx.memory.write_memory("mail/greeting", b"Dear all", "PREFERENCE")
    return {"read": 3}
GENE
cat >genes/clerk/index.py <<'GENE'
def express(input, ctx):
    greeting = ctx.memory.read_memory("mail/greeting", "PREFERENCE")
    ctx.memory.write_memory("mail/draft", b"x" * 100, "CACHE")
    return {"text": greeting.value.decode() if greeting else None}
GENE
says "Gene ID (v2): v2:" rotifer wrap reader --domain mail
says "Gene ID (v2): v2:" rotifer wrap clerk --domain mail
says "index.py" rotifer compile clerk --check
is 5 rotifer list
says "there is none yet" rotifer doctor

step "create, run"
says "created secretary" rotifer agent create secretary --genes reader clerk --memory-quota=1MB --max-retention-days 60
says "Dear all" rotifer agent run secretary --input '{}'
exits 1 rotifer agent create secretary --genes reader
exits 2 rotifer agent create other --genes reader --memory-quota=1
is 5 rotifer memory list secretary
says secretary rotifer agent list
says reader rotifer agent show secretary

step "what expires within a day"
is 1 rotifer memory list secretary --expires-within 1d
says mail/today rotifer memory list secretary --expires-within 1d

step "what a retired gene would leave"
says "mail/cursor" rotifer agent genes secretary --set clerk --dry-run
is 2 rotifer agent genes secretary
says "mail/cursor" rotifer agent genes secretary --set clerk
is 1 rotifer agent genes secretary
says "1 entry removed" rotifer memory delete secretary --key=mail/cursor
exits 1 rotifer memory delete secretary --key=mail/cursor

step "tighten the policy, dry then for real"
says mail/month rotifer agent policy secretary --max-retention-days 7 --dry-run
says 60 rotifer agent policy secretary
says mail/month rotifer agent policy secretary --max-retention-days 7
says 7 rotifer agent policy secretary
is 1 rotifer memory list secretary --outside-policy
says mail/month rotifer memory list secretary --outside-policy

step "export, and move to another project"
says "3 entries exported" rotifer agent export secretary "$folder/secretary.jsonl"
exits 1 rotifer agent export secretary "$folder/secretary.jsonl"
rotifer init "$folder/office" >/dev/null 2>&1
(
  cd "$folder/office"
  says "3 entries" rotifer agent import "$folder/secretary.jsonl"
  exits 1 rotifer agent import "$folder/secretary.jsonl"
  is 3 rotifer memory list secretary
  cp -r "$folder/desk/genes/clerk" genes/
  says "Dear all" rotifer agent run secretary --input '{}'
  says sound rotifer audit verify
  is 0 rotifer audit verify
)

step "verify, rotate, and follow the log across it"
is 0 rotifer memory verify
rotifer audit tail -f >"$folder/followed" 2>"$folder/told" &
follower=$!
within_a_minute grep -q agent_create "$folder/followed"
says audit- rotifer audit rotate
rotifer agent run secretary --input '{}' >/dev/null
within_a_minute grep -q audit_checkpoint "$folder/followed"
within_a_minute grep -q "rotated" "$folder/told"
is 0 rotifer audit verify
lines=$(rotifer audit tail | wc -l)
has_followed() { [ "$(wc -l <"$folder/followed")" -eq "$lines" ]; }
within_a_minute has_followed
rotifer audit tail | cmp - "$folder/followed" || fail "the follower saw another log"
kill "$follower"
wait "$follower" 2>/dev/null || true
follower=
is 1 rotifer audit tail --action policy_change --since 1d

step "one line of each is enough"
rotifer agent genes secretary --set reader clerk >/dev/null 2>&1
first rotifer list
first rotifer agent list
first rotifer memory list secretary
first rotifer memory list secretary --json
first rotifer memory usage secretary
first rotifer agent show secretary
first rotifer agent policy secretary
first rotifer agent genes secretary
first rotifer agent export secretary -
first rotifer audit tail
first rotifer audit tail --json
first rotifer audit tail -f
first rotifer audit tail -f --json
first rotifer doctor
first rotifer --help

step "a check-up at the end"
says "the log's chain, the counters and the entries agree" rotifer doctor
exits 0 rotifer doctor
chmod 644 .rotifer/audit.jsonl
exits 1 rotifer doctor
step "a good day"
