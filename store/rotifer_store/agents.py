"""Agents and what the deployer sets on them: records, quotas, policies, genomes.

These calls are rare, so they go through SQLModel sessions, within the same transaction as their audit line.
Importing this module loads the ORM; memory calls never do.
"""

from __future__ import annotations

import json
import secrets
import uuid
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from typing import Any, NamedTuple

from sqlalchemy import StaticPool, create_engine, or_
from sqlalchemy.exc import SQLAlchemyError
from sqlmodel import Session, col, select

from rotifer_store.change import Change, Shell
from rotifer_store.deployer import agent_of
from rotifer_store.deployer_plan import agent_event
from rotifer_store.engine import Connection
from rotifer_store.errors import AgentExists, InvalidAgent, MemoryInvalidInput, MemoryStorageError
from rotifer_store.model import Agent, DataPolicy, Gene
from rotifer_store.plan import NEVER_US, Plan
from rotifer_store.retention import DAY_US, MAX_STORED_US
from rotifer_store.schema import AgentRow
from rotifer_store.tables import AuditAction, Operation
from rotifer_store.translate import storage_error
from rotifer_store.validate import agent_name, agent_uuid, data_policy_of, quota_bytes

_SINGLE = {"type": "Single"}
_SEQ = {"type": "Seq"}


class _Borrowed:
    """A driver's connection for a session that must neither commit, roll back nor close it.

    The change that lends it does (REC-2): its audit line stands between BEGIN and COMMIT.
    """

    def __init__(self, connection: Connection) -> None:
        self._connection = connection

    def __getattr__(self, name: str) -> Any:
        return getattr(self._connection, name)

    def commit(self) -> None:
        """Left to the change."""

    def rollback(self) -> None:
        """Left to the change."""

    def close(self) -> None:
        """Left to the engine."""


@contextmanager
def session_on(connection: Connection) -> Iterator[Session]:
    """A SQLModel session on a driver's connection, inside whatever transaction that is in.

    Raises:
        MemoryStorageError: the database failed. SQLAlchemy's own error is left behind: it quotes parameters.
    """
    engine = create_engine("sqlite://", creator=lambda: _Borrowed(connection), poolclass=StaticPool)
    try:
        with Session(engine) as session:
            yield session
            session.flush()
    except SQLAlchemyError as error:
        raise storage_error(getattr(error, "orig", None) or error, "the store cannot be changed") from None
    finally:
        engine.dispose()


def composition_of(genes: Sequence[str], composition: Mapping[str, object] | str | None) -> dict[str, object]:
    """The composition of a genome; by default Single for one gene and Seq for several (RUN-1).

    Raises:
        InvalidAgent: it is not an object with a `type`.
    """
    if composition is None:
        return dict(_SEQ if len(genes) > 1 else _SINGLE)
    if isinstance(composition, str):
        return {"type": composition}
    try:
        copied = json.loads(json.dumps(dict(composition), allow_nan=False))
    except (TypeError, ValueError, RecursionError):
        copied = {}
    if not isinstance(copied.get("type"), str):
        raise InvalidAgent("a composition is a JSON object with a type")
    return dict(copied)


def genome_names(genes: Sequence[Gene]) -> tuple[str, ...]:
    """The names of a genome; the store keeps names and the caller resolves them (AGT-1).

    Raises:
        InvalidAgent: a gene has no name.
    """
    names = tuple(gene.name for gene in genes if gene.name)
    if len(names) != len(genes):
        raise InvalidAgent("every gene of a genome has a name")
    return names


def create_agent(
    shell: Shell,
    name: str,
    *,
    genes: Sequence[Gene],
    composition: Mapping[str, object] | str | None,
    memory_quota_bytes: int,
    data_policy: DataPolicy | object,
    agent_id: str | None,
) -> Agent:
    """A new agent with an empty memory (AGT-2).

    Raises:
        AgentExists: the name or id is taken.
        InvalidAgent: an argument is not one an agent can have.
        MemoryStorageError: the store or its audit log failed; no agent was created.
    """
    names = genome_names(genes)
    try:
        quota, policy = quota_bytes(memory_quota_bytes), data_policy_of(data_policy)
    except MemoryInvalidInput as error:
        raise InvalidAgent(error.message) from None
    record = AgentRecord(
        agent_uuid(agent_id) if agent_id is not None else str(uuid.uuid4()),
        agent_name(name),
        names,
        composition_of(names, composition),
        quota,
        policy,
    )
    with Change(shell, Operation.CREATE) as change:
        change.load_state()
        require_free(change, record)
        created_at_us = change.now_us
        change.commit(
            Plan([agent_event(AuditAction.AGENT_CREATE, Operation.CREATE, record.id, record.name)]),
            rows=lambda connection: insert_agent(connection, record, created_at_us, new_hmac_key()),
        )
    return change.agent


class AgentRecord(NamedTuple):
    """A checked agent that is not in the store yet."""

    id: str
    name: str
    genes: tuple[str, ...]
    composition: Mapping[str, object]
    quota_bytes: int
    data_policy: DataPolicy


def require_free(change: Change, record: AgentRecord) -> None:
    """Within a change: the name and the id are not taken.

    Raises:
        AgentExists: one is.
    """
    with session_on(change.connection) as session:
        taken = session.exec(
            select(AgentRow).where(
                or_(col(AgentRow.name) == record.name, col(AgentRow.agent_id) == record.id)
            )
        ).first()
        if taken is not None:
            what = "name" if taken.name == record.name else "id"
            raise AgentExists(f"there is an agent of that {what} already")


def new_hmac_key() -> bytes:
    """A random key for the HMACs of an agent's values; only the store holds it (REC-1)."""
    return secrets.token_bytes(32)


def insert_agent(connection: Connection, record: AgentRecord, created_at_us: int, hmac_key: bytes) -> Agent:
    """Writes the agent's row."""
    policy = record.data_policy
    row = AgentRow(
        agent_id=record.id,
        name=record.name,
        created_at_us=created_at_us,
        genes=json.dumps(record.genes),
        composition=json.dumps(record.composition),
        quota_bytes=record.quota_bytes,
        days=policy.max_retention_days,
        auto_delete=int(policy.auto_delete_on_termination),
        anonymization=int(policy.anonymization_supported),
        hmac_key=hmac_key,
        order_us=NEVER_US,
    )
    with session_on(connection) as session:
        session.add(row)
        session.flush()
        return _agent_of_row(row)


def set_data_policy(shell: Shell, agent: Agent, data_policy: DataPolicy | object) -> None:
    """Changes the agent's data policy; what had expired under the old one goes first (POL-3a).

    Raises:
        MemoryInvalidInput: it is no data policy.
        MemoryStorageError: the store or its audit log failed; nothing has changed.
    """
    policy = data_policy_of(data_policy)

    def rows(connection: Connection) -> Agent:
        with session_on(connection) as session:
            row = _row_of(session, agent)
            row.days = policy.max_retention_days
            row.auto_delete = int(policy.auto_delete_on_termination)
            row.anonymization = int(policy.anonymization_supported)
            session.add(row)
        if policy.max_retention_days is None:
            connection.execute(shell.engine.sql.lift_agent_days, (agent.ref,))
        else:
            span_us = min(policy.max_retention_days * DAY_US, MAX_STORED_US)
            connection.execute(
                shell.engine.sql.apply_agent_days, (MAX_STORED_US - span_us, span_us, agent.ref)
            )
        return agent

    reason = f"data policy is {json.dumps(policy.to_json())}"
    _change_agent(shell, agent, AuditAction.POLICY_CHANGE, Operation.POLICY, reason, rows)


def set_memory_quota(shell: Shell, agent: Agent, memory_quota_bytes: int) -> None:
    """Changes the quota; one below what is used only stops growth (QUO-3).

    Raises:
        MemoryInvalidInput: it is no quota (QUO-2).
        MemoryStorageError: the store or its audit log failed; nothing has changed.
    """
    quota = quota_bytes(memory_quota_bytes)

    def rows(connection: Connection) -> Agent:
        with session_on(connection) as session:
            row = _row_of(session, agent)
            row.quota_bytes = quota
            session.add(row)
        return agent

    reason = f"quota is {quota} bytes"
    _change_agent(shell, agent, AuditAction.POLICY_CHANGE, Operation.POLICY, reason, rows)


def set_genome(
    shell: Shell,
    agent: Agent,
    genes: Sequence[Gene],
    composition: Mapping[str, object] | str | None,
) -> Agent:
    """Changes the genome; memory stays as it is (AGT-1, AGT-9).

    Raises:
        InvalidAgent: a gene has no name, or the composition is none.
        MemoryStorageError: the store or its audit log failed; nothing has changed.
    """
    names = genome_names(genes)
    composed = composition_of(names, composition)

    def rows(connection: Connection) -> Agent:
        with session_on(connection) as session:
            row = _row_of(session, agent)
            row.genes, row.composition = json.dumps(names), json.dumps(composed)
            session.add(row)
            session.flush()
            return _agent_of_row(row)

    reason = f"genome is {', '.join(names) or 'empty'}"
    return _change_agent(shell, agent, AuditAction.GENOME_CHANGE, Operation.GENOME, reason, rows)


def _change_agent(
    shell: Shell,
    agent: Agent,
    action: AuditAction,
    operation: Operation,
    reason: str,
    rows: Callable[[Connection], Agent],
) -> Agent:
    with Change(shell, operation, agent) as change:
        change.load()
        change.commit(Plan([agent_event(action, operation, agent.id, agent.name, reason)]), rows=rows)
    return change.agent


def _row_of(session: Session, agent: Agent) -> AgentRow:
    row = session.exec(select(AgentRow).where(AgentRow.agent_id == agent.id)).first()
    if row is None:
        raise MemoryStorageError("the agent is not in the store any more")
    return row


def _agent_of_row(row: AgentRow) -> Agent:
    return agent_of(
        (
            row.agent_id,
            row.name,
            row.genes,
            row.composition,
            row.quota_bytes,
            row.days,
            row.auto_delete,
            row.anonymization,
            row.created_at_us,
            row.ref,
        )
    )
