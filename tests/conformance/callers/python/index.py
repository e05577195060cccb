"""A gene that makes the memory call its input names and tells what came of it.

The input is ``{call, arguments, bytes?}``: ``arguments`` by Python's names, and ``bytes`` the value in hex
where the value is bytes. The output is ``{result}`` or ``{refused: {code, class, message}}``; an entry is
told twice, by ``to_json`` and by its attributes.
"""

from rotifer_store.typing import AgentMemoryError


def express(input, ctx):
    arguments = dict(input["arguments"])
    if "bytes" in input:
        arguments["value"] = bytes.fromhex(input["bytes"])
    try:
        result = getattr(ctx.memory, input["call"])(**arguments)
    except AgentMemoryError as error:
        return {"refused": {"code": error.code, "class": type(error).__name__, "message": str(error)}}
    if isinstance(result, list):
        return {"result": [told(entry) for entry in result]}
    return {"result": None if result is None else told(result)}


def told(entry):
    access, retention = entry.access_policy, entry.retention_policy
    assert type(entry.value) is bytes
    assert entry.created_at.utcoffset().total_seconds() == entry.updated_at.utcoffset().total_seconds() == 0
    attributes = {
        "entryId": entry.entry_id,
        "category": entry.category,
        "key": entry.key,
        "value": entry.value.hex(),
        "createdBy": entry.created_by,
        "lastAccessedBy": entry.last_accessed_by,
        "createdAt": entry.created_at.isoformat(timespec="microseconds").replace("+00:00", "Z"),
        "updatedAt": entry.updated_at.isoformat(timespec="microseconds").replace("+00:00", "Z"),
        "accessPolicy": access.to_json(),
        "retentionPolicy": None if retention is None else retention.to_json(),
    }
    return {"json": entry.to_json(), "attributes": attributes}
