"""The check of records in the browser, run by deno, beside the checks of a build; and damaged records to compare them on."""

import json
import random
import subprocess
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any

import orjson
from pydantic import TypeAdapter, ValidationError

from statuary.checks.contracts.prove import prove
from statuary.domain.contracts.record import Record
from statuary.domain.findings import Severity
from support import record_damages
from support.edge_runtimes import OFFLINE, deno
from support.forgeries import FORGERIES, repeat
from support.record_damages import DAMAGES

CHECK_ALL = Path(__file__).parents[1] / "browser" / "check_all.js"
RECORD = TypeAdapter(Record)

Verdicts = dict[str, tuple[str, list[str]]]
"""By the name of a check: its outcome, and the JSON pointers of its errors and warnings."""


def browser_verdicts(records: Iterable[bytes]) -> list[Verdicts]:
    """Return the results of the browser's modules for records."""
    command = [deno(), "run", *OFFLINE, str(CHECK_ALL)]
    done = subprocess.run(command, input=b"\n".join(records), capture_output=True, check=False, timeout=600)
    assert done.returncode == 0, done.stderr.decode()
    return [
        {result["check"]: (result["outcome"], _pointers(result["faults"])) for result in results}
        for results in json.loads(done.stdout)
    ]


def _pointers(faults: list[dict[str, str]]) -> list[str]:
    return sorted({fault["pointer"] for fault in faults if fault["severity"] != "note"})


def build_verdicts(record: bytes) -> Verdicts:
    """Return the results of a build's checks of a record."""
    return {
        result.check: (
            result.outcome.value,
            sorted({_json_pointer(f.pointer) for f in result.findings if f.severity is not Severity.NOTE}),
        )
        for result in prove(orjson.loads(record)).results
    }


def _json_pointer(keys: Iterable[str | int]) -> str:
    return "".join(f"/{str(key).replace('~', '~0').replace('/', '~1')}" for key in keys)


def damaged_records(texts: list[tuple[str, bytes]], count: int, seed: int) -> Iterator[tuple[str, bytes]]:
    """Yield records with one damage each: a known kind, a forgery, or any value changed; all still of a record's shape."""
    chance = random.Random(seed)
    record_damages.STRANGER = orjson.loads(chance.choice(texts)[1])
    made = 0
    while made < count:
        name, text = chance.choice(texts)
        record = orjson.loads(text)
        damage = (_known_damage, _forgery, _any_change)[made % 3](record, chance)
        if damage and orjson.dumps(record) != text and _is_shaped(record):
            made += 1
            yield f"{damage}: {name}", orjson.dumps(record)


def _known_damage(record: dict[str, Any], chance: random.Random) -> str:
    damage = chance.choice(DAMAGES)
    return damage.name if damage.apply(record) else ""


def _forgery(record: dict[str, Any], chance: random.Random) -> str:
    forgery = chance.choice(FORGERIES)
    return forgery.name if forgery.apply(record) and repeat(record) else ""


def _any_change(record: dict[str, Any], chance: random.Random) -> str:
    """Change, drop or repeat one value at a random place."""
    holder: Any = record
    key: Any = chance.choice(list(record))
    path = [key]
    while isinstance(holder[key], dict | list) and holder[key] and chance.random() < 0.9:
        holder = holder[key]
        key = chance.choice(list(holder) if isinstance(holder, dict) else range(len(holder)))
        path.append(key)
    changed = _changed(holder[key], chance)
    if changed is None and chance.random() < 0.5:
        del holder[key]
    else:
        holder[key] = changed
    return f"another value at {path}"


def _changed(value: Any, chance: random.Random) -> Any:
    if isinstance(value, bool) or value is None:
        return not value
    if isinstance(value, int):
        return chance.choice([value + 1, 0, -value, float(value)])
    if isinstance(value, str) and value:
        place = chance.randrange(len(value))
        return value[:place] + chance.choice(["", "0", "f", "ab", "A"]) + value[place + 1 :]
    return None


def _is_shaped(record: dict[str, Any]) -> bool:
    try:
        RECORD.validate_python(record)
    except ValidationError:
        return False
    return True
