"""Scopes and policies: the whole table of who may, and every way that a policy is refused."""

from __future__ import annotations

from itertools import product

import pytest

from rotifer_store import UNSET, AccessPolicy, RetentionPolicy, Scope, SharePolicy
from rotifer_store.access import (
    KEPT_TOO_LONG,
    NO_ANONYMIZATION,
    NO_ID,
    NOT_THE_CREATOR,
    UNGRANTABLE_SCOPE,
    WRITE_SCOPE,
    admits,
    days_refusal,
    decisions,
    is_orphan,
    policy_refusal,
    share_refusal,
    write_refusal,
)
from rotifer_store.model import Caller, Held
from rotifer_store.tables import STORED_SCOPE
from unit.samples import (
    CREATOR,
    DOMAIN,
    OPEN,
    PRIVATE,
    SIBLING,
    STRANGER,
    Access,
    Retention,
    head,
    held,
    request,
)

CALLERS = {
    "the creator": CREATOR,
    "the creator in another domain": Caller(CREATOR.gene_id, "linter"),
    "a gene of the domain": SIBLING,
    "a gene of another domain": STRANGER,
    "a gene of a domain below": Caller(SIBLING.gene_id, "formatter.code"),
    "a gene of a domain that begins alike": Caller(SIBLING.gene_id, "formatter2"),
    "a gene of a domain in capitals": Caller(SIBLING.gene_id, "Formatter"),
    "a gene of no domain": Caller(SIBLING.gene_id, ""),
    "the creator's domain without an id": Caller(None, "formatter"),
    "no id": Caller(None, "linter"),
}
ADMITTED: dict[Scope, set[str]] = {
    Scope.CREATOR_GENE_ONLY: {"the creator", "the creator in another domain"},
    Scope.SAME_DOMAIN: {"the creator", "a gene of the domain"},
    Scope.ALL_GENES: {name for name in CALLERS if "id" not in name.split()},
    Scope.DEPLOYER_CONFIGURED: set(),
}
TWO_SCOPES = list(product(Scope, Scope))
GRANTABLE = (Scope.CREATOR_GENE_ONLY, Scope.SAME_DOMAIN, Scope.ALL_GENES)
GRANTABLE_ACCESS = list(product(GRANTABLE, GRANTABLE, SharePolicy))


def test_the_table_covers_every_scope() -> None:
    assert set(ADMITTED) == set(Scope)
    assert len(ADMITTED[Scope.ALL_GENES]) == len(CALLERS) - 2


@pytest.mark.parametrize("name", CALLERS)
@pytest.mark.parametrize("scope", Scope)
def test_a_scope_admits_exactly_whom_it_names(scope: Scope, name: str) -> None:
    """ACC-2, ACC-7."""
    admitted = admits(STORED_SCOPE[scope], CALLERS[name], str(CREATOR.gene_id), CREATOR.domain)
    assert admitted is (name in ADMITTED[scope])


@pytest.mark.parametrize("name", CALLERS)
@pytest.mark.parametrize(("read", "write"), TWO_SCOPES)
def test_a_write_asks_the_write_scope_alone(read: Scope, write: Scope, name: str) -> None:
    """ACC-6."""
    entry = held(access=(read, write, SharePolicy.PRIVATE))
    allowed = name in ADMITTED[write]
    assert write_refusal(CALLERS[name], entry) == (None if allowed else WRITE_SCOPE)


@pytest.mark.parametrize("scope", Scope)
def test_an_orphan_is_what_no_gene_of_the_genome_may_read(scope: Scope) -> None:
    """AGT-9: the read scope decides, whatever the write scope says."""
    for write, names in product(Scope, (["the creator"], ["a gene of another domain"], ["no id"], [])):
        entry = held(access=(scope, write, SharePolicy.PRIVATE))
        genome = [CALLERS[name] for name in names]
        assert is_orphan(entry, genome) is not bool(ADMITTED[scope] & set(names))
    assert not is_orphan(held(access=OPEN), [Caller(None, "x"), STRANGER])


# Policies that a write passes


@pytest.mark.parametrize("caller", [CREATOR, SIBLING, STRANGER])
@pytest.mark.parametrize("access", [PRIVATE, DOMAIN, OPEN])
@pytest.mark.parametrize("retention", [(None, None, None), (30, 1, 0), (None, 0, 0)])
def test_a_write_that_passes_no_policy_is_never_measured(
    caller: Caller, access: Access, retention: Retention
) -> None:
    """ACC-10, POL-3: the stored policy stays, even under a stricter agent."""
    entry = held(access=access, retention=retention)
    assert policy_refusal(request(), caller, entry, head(days=1)) is None


@pytest.mark.parametrize("stored", GRANTABLE_ACCESS, ids=" ".join)
def test_only_the_creator_changes_the_access_policy(stored: Access) -> None:
    """ACC-5: another gene may pass it as it stands, and nothing else."""
    entry, roomy = held(access=stored), head(anonymization=1)
    for passed in GRANTABLE_ACCESS:
        write = request(access=AccessPolicy(*passed))
        assert policy_refusal(write, CREATOR, entry, roomy) is None
        assert policy_refusal(write, SIBLING, entry, roomy) == (None if passed == stored else NOT_THE_CREATOR)


RETENTIONS: list[tuple[Retention, RetentionPolicy | None]] = [
    ((None, None, None), None),
    *(
        ((days, int(auto_delete), int(anonymization)), RetentionPolicy(days, auto_delete, anonymization))
        for days, auto_delete, anonymization in product((None, 1, 30), (False, True), (False, True))
    ),
]


@pytest.mark.parametrize(("stored", "stored_policy"), RETENTIONS, ids=str)
def test_only_the_creator_changes_the_retention_policy(
    stored: Retention, stored_policy: RetentionPolicy | None
) -> None:
    """ACC-5: null where the stored one is not null is a change too."""
    entry = held(retention=stored)
    for _, passed in RETENTIONS:
        write = request(retention=passed)
        assert policy_refusal(write, CREATOR, entry, head()) is None
        assert policy_refusal(write, SIBLING, entry, head()) == (
            None if passed == stored_policy else NOT_THE_CREATOR
        )


def test_either_policy_can_be_the_one_that_changes() -> None:
    """ACC-5: one equal policy does not carry the other through."""
    entry = held(access=OPEN, retention=(30, 0, 0))
    same_access, same_retention = AccessPolicy(*OPEN), RetentionPolicy(30, False, False)
    for access, retention, allowed in (
        (same_access, same_retention, True),
        (same_access, UNSET, True),
        (UNSET, same_retention, True),
        (same_access, None, False),
        (same_access, RetentionPolicy(31, False, False), False),
        (AccessPolicy(), same_retention, False),
        (AccessPolicy(), UNSET, False),
    ):
        refusal = policy_refusal(request(access=access, retention=retention), STRANGER, entry, head())
        assert refusal == (None if allowed else NOT_THE_CREATOR)


def test_who_created_it_is_the_id_and_not_the_domain() -> None:
    """ACC-5, ENT-3."""
    moved = Caller(CREATOR.gene_id, "linter")
    write = request(access=AccessPolicy(*PRIVATE))
    assert policy_refusal(write, moved, held(access=OPEN), head()) is None


@pytest.mark.parametrize(("read", "write"), TWO_SCOPES)
@pytest.mark.parametrize("share", SharePolicy)
@pytest.mark.parametrize("anonymization", [0, 1])
@pytest.mark.parametrize("existing", [None, held(access=DOMAIN)], ids=["new", "rewrite"])
def test_a_passed_access_policy_must_be_grantable(
    read: Scope, write: Scope, share: SharePolicy, anonymization: int, existing: Held | None
) -> None:
    """ACC-3."""
    refusal = policy_refusal(
        request(access=AccessPolicy(read, write, share)),
        CREATOR,
        existing,
        head(anonymization=anonymization),
    )
    if Scope.DEPLOYER_CONFIGURED in (read, write):
        assert refusal == UNGRANTABLE_SCOPE
    elif share is not SharePolicy.PRIVATE and not anonymization:
        assert refusal == NO_ANONYMIZATION
    else:
        assert refusal is None


def test_an_equal_policy_is_measured_all_the_same() -> None:
    """ACC-10: what is stored already fits no better than what is new."""
    shared = (Scope.SAME_DOMAIN, Scope.SAME_DOMAIN, SharePolicy.KNOWLEDGE_GENE)
    entry = held(access=shared, retention=(30, 0, 0))
    for caller in (CREATOR, SIBLING):
        write = request(access=AccessPolicy(*shared))
        assert policy_refusal(write, caller, entry, head()) == NO_ANONYMIZATION
        write = request(retention=RetentionPolicy(30, False, False))
        assert policy_refusal(write, caller, entry, head(days=29)) == KEPT_TOO_LONG


def test_a_change_by_another_gene_is_refused_before_the_data_policy_is_looked_at() -> None:
    """ACC-8."""
    write = request(access=AccessPolicy(Scope.DEPLOYER_CONFIGURED))
    assert policy_refusal(write, SIBLING, held(), head()) == NOT_THE_CREATOR
    assert policy_refusal(write, SIBLING, None, head()) == UNGRANTABLE_SCOPE


DAYS = [
    (None, None, True),
    (None, 1, True),
    (None, 2_147_483_647, True),
    (30, None, False),
    (30, 29, True),
    (30, 30, True),
    (30, 31, False),
    (1, 2_147_483_647, False),
    (2_147_483_647, 2_147_483_647, True),
    (2_147_483_647, None, False),
]


@pytest.mark.parametrize(("agent_days", "own_days", "allowed"), DAYS)
def test_no_entry_is_kept_longer_than_its_agent_allows(
    agent_days: int | None, own_days: int | None, allowed: bool
) -> None:
    """POL-3."""
    expected = None if allowed else KEPT_TOO_LONG
    assert days_refusal(own_days, head(days=agent_days)) == expected
    for existing in (None, held()):
        write = request(retention=RetentionPolicy(own_days, False, False))
        assert policy_refusal(write, CREATOR, existing, head(days=agent_days)) == expected


def test_following_the_agent_always_fits() -> None:
    """POL-3: a null policy has no days of its own."""
    for existing in (None, held(retention=(1, 0, 0))):
        assert policy_refusal(request(retention=None), CREATOR, existing, head(days=1)) is None


def test_access_is_measured_before_days() -> None:
    """ACC-8: one sentence for one refusal, always the same."""
    both = request(
        access=AccessPolicy(share_policy=SharePolicy.KNOWLEDGE_GENE),
        retention=RetentionPolicy(None, False, False),
    )
    assert policy_refusal(both, CREATOR, None, head(days=1)) == NO_ANONYMIZATION
    assert policy_refusal(both, CREATOR, None, head(days=1, anonymization=1)) == KEPT_TOO_LONG


@pytest.mark.parametrize("share", SharePolicy)
@pytest.mark.parametrize("anonymization", [0, 1])
def test_sharing_needs_anonymization(share: SharePolicy, anonymization: int) -> None:
    """ACC-3."""
    allowed = share is SharePolicy.PRIVATE or anonymization
    assert share_refusal(share, head(anonymization=anonymization)) == (None if allowed else NO_ANONYMIZATION)


@pytest.mark.parametrize(("read", "write"), TWO_SCOPES)
@pytest.mark.parametrize("name", CALLERS)
def test_a_decision_is_that_of_the_scope_and_names_it(name: str, read: Scope, write: Scope) -> None:
    """ACC-2, ACC-6, ACC-7: whoever asks is told what the call would come to, and why."""
    decided = decisions(CALLERS[name], held(access=(read, write, SharePolicy.PRIVATE)))
    has_id = CALLERS[name].gene_id is not None
    for decision, scope, rule in zip(decided, (read, write, write), ("ACC-2", "ACC-2", "ACC-6"), strict=True):
        assert decision.allowed == (name in ADMITTED[scope])
        assert decision.rule == (rule if has_id else "ACC-7")
        assert decision.reason.startswith(f"{scope}: " if has_id else NO_ID)
        assert len(decision.reason) < 80
    assert has_id or {decision.reason for decision in decided} == {NO_ID}


def test_a_reason_for_a_yes_is_none_for_a_no() -> None:
    """ACC-2."""
    yes = {
        decisions(CREATOR, held(access=(scope, scope, SharePolicy.PRIVATE))).read.reason
        for scope in GRANTABLE
    }
    no = {
        decisions(STRANGER, held(access=(scope, scope, SharePolicy.PRIVATE))).read.reason for scope in Scope
    }
    assert len(yes) == 3
    assert yes & no == {decisions(CREATOR, held(access=OPEN)).read.reason}


def test_where_there_is_no_entry_a_gene_reads_nothing_may_write_and_deletes_nothing() -> None:
    """ACC-8, ERR."""
    read, write, delete = decisions(STRANGER, None)
    assert (read.allowed, write.allowed, delete.allowed) == (True, True, False)
    assert not any(decision.allowed for decision in decisions(Caller(None, "formatter"), None))
