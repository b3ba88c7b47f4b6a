"""Probe services and nodes, and evaluate the responses.

Another program repeats this. An Ethereum node that responds may still be days behind. So its head is compared
with the clock, with the `finalized` block and with the highest head of its group
(https://ethereum.github.io/execution-apis/).
"""

import os
from collections.abc import Callable, Mapping, Sequence
from time import perf_counter
from typing import NamedTuple

import orjson

from statuary.base.errors import StatuaryError
from statuary.base.json_values import Json, is_whole_number
from statuary.base.primitives import Instant
from statuary.extensions.metrics.settings import Probe, ProbeKind, is_probe_address
from statuary.system.network.client import UnreachableError, send
from statuary.system.network.connections import Timeouts
from statuary.system.network.listening import check_connection
from statuary.system.network.reasons import connection_error_reason

LARGEST_RESPONSE = 1 << 20
"""Size in bytes of the largest response."""

MAX_BATCHES = 10
"""The number of a rollup's newest batches in which one that is on L1 is searched."""

MAX_AHEAD = 600
"""Seconds that a newest block may be ahead of the clock."""

LARGEST_QUANTITY = 1 << 63
"""No block or timestamp is that high."""


class ProbeError(StatuaryError):
    """Raised if a probed service does not respond as it should."""


class ProbeAnswer(NamedTuple):
    """The values in the response to a probe, or the reason for a failure."""

    seconds: float | None = None  # the time until the response; None if it failed
    head: int | None = None  # the number of the newest block
    timestamp: int | None = None  # timestamp of the newest block, in seconds since 1970
    finalized: int | None = None  # the number of the finalized block; None if the node does not say
    batched: int | None = None  # timestamp of a rollup's newest block in a batch on L1
    reason: str = ""  # why the probe failed; empty if the service responded


class Measurement(NamedTuple):
    """The result of a probe, compared with the probe's limits."""

    probe: Probe
    answer: ProbeAnswer
    age: float | None = None  # the age of the newest block, in seconds
    lag: int | None = None  # the number of blocks behind the highest node of the group
    batch_age: float | None = None  # the age of the newest block in a batch on L1, in seconds
    reason: str = ""  # why the result is a failure, with figures; empty if it is not
    title: str = ""  # the reason in a few words without figures; empty if the result is not a failure


NO_ANSWER = "no proper answer"
"""The title of any failure to respond."""


def run_probe(probe: Probe, environment: Mapping[str, str] = os.environ) -> ProbeAnswer:
    """Run a probe once: for example, send a request to a node.

    Args:
        probe: the settings of the probe.
        environment: the environment variables, which may contain secret URLs.

    Returns:
        The response or the error.
    """
    began = perf_counter()
    try:
        probe = _use_address_from_environment(probe, environment)
        answer = ASKERS[probe.kind](probe)
    except UnreachableError as error:
        return ProbeAnswer(reason=f"it {error.reason}")
    except ProbeError as error:
        return ProbeAnswer(reason=str(error))
    except OSError as error:
        return ProbeAnswer(reason=f"it {connection_error_reason(error)}")
    return answer._replace(seconds=round(perf_counter() - began, 4))


def _use_address_from_environment(probe: Probe, environment: Mapping[str, str]) -> Probe:
    """Return a probe with the address in its environment variable, if any.

    Raises:
        ProbeError: if the variable is not set, or has no address of this kind.
    """
    if not probe.url_variable:
        return probe
    url = environment.get(probe.url_variable, "").strip()
    if not url:
        raise ProbeError(
            f"the address to probe is unknown: the environment variable {probe.url_variable} is not set"
        )
    if not is_probe_address(probe.kind, url):
        raise ProbeError(
            f"the environment variable {probe.url_variable} is not an address for a probe of kind "
            f"{probe.kind}"
        )
    return probe._replace(url=url)


def _make_probe_timeouts(probe: Probe) -> Timeouts:
    return Timeouts(seconds=float(probe.timeout), timeout=float(probe.timeout))


def _probe_http(probe: Probe) -> ProbeAnswer:
    response = send(probe.url, "GET", limit=LARGEST_RESPONSE, timeouts=_make_probe_timeouts(probe))
    if response.status not in probe.expected_status:
        raise ProbeError(f"the server responds with {response.status}")
    return ProbeAnswer()


def _probe_tcp(probe: Probe) -> ProbeAnswer:
    host, _, port = probe.url.rpartition(":")
    try:
        check_connection(host.strip("[]"), int(port), probe.timeout)
    except (OSError, OverflowError, UnicodeError) as error:
        raise ProbeError(
            f"the server does not accept a connection: it {connection_error_reason(error)}"
        ) from None
    return ProbeAnswer()


def _probe_ethereum_node(probe: Probe) -> ProbeAnswer:
    latest = _fetch_block(probe, "latest")
    if latest is None:
        raise ProbeError("the node has no newest block")
    try:
        finalized = _fetch_block(probe, "finalized")
    except ProbeError:
        finalized = None  # older nodes do not know the tag
    return ProbeAnswer(
        head=_get_quantity_member(latest, "number"),
        timestamp=_get_quantity_member(latest, "timestamp"),
        finalized=None if finalized is None else _get_quantity_member(finalized, "number"),
    )


def _fetch_block(probe: Probe, block_tag: str) -> Mapping[str, Json] | None:
    block = _call_rpc_method(probe, "eth_getBlockByNumber", [block_tag, False])
    return block if isinstance(block, Mapping) else None


def _call_rpc_method(probe: Probe, method: str, parameters: Sequence[Json] = ()) -> Json:
    question = {"jsonrpc": "2.0", "id": 1, "method": method, "params": list(parameters)}
    headers = {"Content-Type": "application/json"}
    response = send(
        probe.url,
        "POST",
        body=orjson.dumps(question),
        headers=headers,
        limit=LARGEST_RESPONSE,
        timeouts=_make_probe_timeouts(probe),
    )
    try:
        value: Json = orjson.loads(response.body)
    except orjson.JSONDecodeError:
        raise ProbeError(f"the server responds with {response.status}, but not with JSON") from None
    body = value if isinstance(value, Mapping) else {}
    if "error" in body:
        error = body["error"]
        code = error.get("code") if isinstance(error, Mapping) else None
        raise ProbeError(
            "the server responds with an error" + (f" ({code})" if is_whole_number(code) else "")
        )
    return body.get("result")


def _probe_op_node(probe: Probe) -> ProbeAnswer:
    """Read the newest blocks of an OP Stack rollup node (`op-node`).

    `batched` is the time of its newest safe block, which has been written to L1.
    """
    status = _call_rpc_method(probe, "optimism_syncStatus")
    unsafe, safe, finalized = (
        _get_object_member(status, name) for name in ("unsafe_l2", "safe_l2", "finalized_l2")
    )
    return ProbeAnswer(
        head=_get_integer_member(unsafe, "number"),
        timestamp=_get_integer_member(unsafe, "timestamp"),
        finalized=_get_integer_member(finalized, "number"),
        batched=_get_integer_member(safe, "timestamp"),
    )


def _probe_zksync_node(probe: Probe) -> ProbeAnswer:
    """Probe a ZKsync node for its newest batch on L1."""
    newest = _get_quantity_member(
        {"batch number": _call_rpc_method(probe, "zks_L1BatchNumber")}, "batch number"
    )
    for number in range(newest, max(newest - MAX_BATCHES, -1), -1):
        batch = _call_rpc_method(probe, "zks_getL1BatchDetails", [number])
        if isinstance(batch, Mapping) and batch.get("committedAt"):
            return _probe_ethereum_node(probe)._replace(batched=_get_integer_member(batch, "timestamp"))
    raise ProbeError(f"none of the node's newest {MAX_BATCHES} batches was committed to L1")


def _get_object_member(json_value: Json, member_name: str) -> Mapping[str, Json]:
    member = json_value.get(member_name) if isinstance(json_value, Mapping) else None
    if not isinstance(member, Mapping):
        raise ProbeError(f"the response has no {member_name}")
    return member


def _get_integer_member(json_object: Mapping[str, Json], member_name: str) -> int:
    number = json_object.get(member_name)
    if isinstance(number, bool) or not isinstance(number, int) or not 0 <= number < LARGEST_QUANTITY:
        raise ProbeError(f"the response has no valid {member_name}")
    return number


def _get_quantity_member(block: Mapping[str, Json], member_name: str) -> int:
    text = block.get(member_name)
    try:
        number = int(text, 16) if isinstance(text, str) else -1
    except ValueError:
        number = -1
    if not 0 <= number < LARGEST_QUANTITY:
        raise ProbeError(f"the newest block has no valid {member_name}")
    return number


ASKERS: dict[ProbeKind, Callable[[Probe], ProbeAnswer]] = {
    ProbeKind.HTTP: _probe_http,
    ProbeKind.TCP: _probe_tcp,
    ProbeKind.JSONRPC: _probe_ethereum_node,
    ProbeKind.OPTIMISM: _probe_op_node,
    ProbeKind.ZKSYNC: _probe_zksync_node,
}


def evaluate_probe_answers(answers: Sequence[tuple[Probe, ProbeAnswer]], now: Instant) -> list[Measurement]:
    """Decide which probes passed, given their responses.

    For example, a node fails if its newest block is too far behind the highest block in its group.

    Args:
        answers: each probe with its response or error.
        now: the time of the run.
    """
    highest: dict[str, int] = {}
    for probe, answer in answers:
        if probe.group and answer.head is not None:
            highest[probe.group] = max(highest.get(probe.group, 0), answer.head)
    alerts = []
    for probe, answer in answers:
        age = _seconds_since(answer.timestamp, now)
        batch_age = _seconds_since(answer.batched, now)
        in_group = probe.group in highest and answer.head is not None
        lag = highest[probe.group] - answer.head if in_group and answer.head is not None else None
        measured = Measurement(probe, answer, age, lag, batch_age)
        fault = _Fault(NO_ANSWER, answer.reason) if answer.reason else _find_measurement_fault(measured)
        alerts.append(measured._replace(reason=fault.reason, title=fault.title))
    return alerts


def _seconds_since(timestamp: int | None, now: Instant) -> float | None:
    return None if timestamp is None else round(now.timestamp() - timestamp, 3)


class _Fault(NamedTuple):
    """The reason why a measurement counts as a failure."""

    title: str = ""  # a few words without figures
    reason: str = ""  # a sentence with the figures


def _find_measurement_fault(measured: Measurement) -> _Fault:
    probe, answer = measured.probe, measured.answer
    if measured.age is not None and measured.age < -MAX_AHEAD:
        return _Fault(
            "newest block in the future",
            f"its newest block is {-measured.age:.0f} seconds ahead of the clock, more than {MAX_AHEAD}",
        )
    if exceeds_limit(measured.age, probe.most_age):
        return _Fault(
            "no new blocks",
            f"its newest block is {measured.age:.0f} seconds old, more than {probe.most_age}",
        )
    if exceeds_limit(measured.lag, probe.most_lag):
        return _Fault(
            "behind other nodes",
            f"it is {measured.lag} blocks behind its group, more than {probe.most_lag}",
        )
    if exceeds_limit(measured.batch_age, probe.most_batch_age):
        return _Fault(
            "no new batches on L1",
            f"its newest block in a batch is {measured.batch_age:.0f} seconds old, more than {probe.most_batch_age}",
        )
    behind = None if answer.head is None or answer.finalized is None else answer.head - answer.finalized
    if exceeds_limit(behind, probe.most_unfinalized):
        return _Fault(
            "blocks are not finalized",
            f"its finalized block is {behind} blocks behind, more than {probe.most_unfinalized}",
        )
    return _Fault()


def exceeds_limit(measured_value: float | None, limit: int) -> bool:
    """Return whether a measured value is above its limit.

    Args:
        measured_value: the value, or None if nothing was measured.
        limit: the largest allowed value; 0 if there is no limit.
    """
    return measured_value is not None and bool(limit) and measured_value > limit
