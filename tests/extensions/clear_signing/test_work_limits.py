"""The work on a descriptor grows no faster than its size, or ends at a limit: counted in lines that run, not in seconds."""

import json
import sys
from collections.abc import Callable
from pathlib import Path
from types import FrameType
from typing import Any

import pytest

import statuary
from statuary.extensions.clear_signing.descriptors import DescriptorFolder
from statuary.extensions.clear_signing.documents import signing_documents
from statuary.extensions.clear_signing.limits import STEPS_OF_A_FORMAT
from statuary.extensions.clear_signing.records import NO_CODE, SiteRecords, functions_by_selector
from statuary.extensions.clear_signing.site_examples import SiteExamples
from statuary.extensions.clear_signing.verification import FolderVerification, verify_folder
from support.signing_sites import SEND_KEY, TOKEN, TOKEN_ABI, descriptor, field, function, messages
from support.sites import CHAIN
from support.tiers import few_by_default

PACKAGE = str(Path(statuary.__file__).parent)
Files = dict[str, Any]


class Codes(SiteRecords):
    """Verified contracts without their records."""

    def __init__(self, abi: list[dict[str, Any]], addresses: list[str]) -> None:
        functions = functions_by_selector(abi)
        self._chains = frozenset({CHAIN})
        self._codes = {
            (CHAIN, address.lower()): NO_CODE.own_code._replace(address=address, functions=functions)
            for address in addresses
        }

    def read(self, _: object) -> None:
        pass


def addresses(number: int) -> list[str]:
    return [f"0x{place:040x}" for place in range(1, number + 1)]


def of(spec_fields: list[Any], key: str = SEND_KEY, *at: str, **members: Any) -> Files:
    return {"calldata-x.json": descriptor({key: {"intent": "S", "fields": spec_fields, **members}}, *at)}


def fields(number: int, path: str = "to") -> list[Any]:
    return [field(path, "L") for _ in range(number)]


def nested(levels: int) -> list[Any]:
    inner = fields(1)
    for _ in range(levels):
        inner = [{"fields": inner}]
    return inner


ABI = [*TOKEN_ABI, *(function(f"f{place}") for place in range(20))]
WIDE = ",".join(f"uint256 a{number}" for number in range(200))
PARTS = [f"T{level}(T{level + 1} a,T{level + 1} b)" for level in range(60)]
DOUBLING = PARTS[0] + "".join(sorted([*PARTS[1:], "T60(uint256 a)"]))

SHAPES: dict[str, tuple[int, Callable[[int], Files]]] = {
    "fields": (400, lambda n: of(fields(n))),
    "fields of a wide function": (200, lambda n: of(fields(n, "a199"), f"f({WIDE})")),
    "fields of a wide message": (
        200,
        lambda n: {"eip712-x.json": messages({f"A({WIDE})": {"intent": "S", "fields": fields(n, "a199")}})},
    ),
    "groups": (200, lambda n: of(nested(8) * n)),
    "fields at many deployments": (40, lambda n: of(fields(200), SEND_KEY, *addresses(n))),
    "formats": (
        200,
        lambda n: {
            "calldata-x.json": descriptor(
                {f"f{place}()": {"intent": "S", "fields": []} for place in range(n)}
            )
        },
    ),
    "formats at many deployments": (
        20,
        lambda n: {
            "calldata-x.json": descriptor(
                {f"f{place}()": {"intent": "S", "fields": []} for place in range(20)}, *addresses(n)
            )
        },
    ),
    "placeholders": (2_000, lambda n: of(fields(2), interpolatedIntent="{to}" * n)),
    "names in a map": (
        500,
        lambda n: {
            "calldata-x.json": descriptor(
                metadata={"owner": "x", "enums": {"m": {str(place): "a" for place in range(n)}}}
            )
        },
    ),
    "references": (
        100,
        lambda n: {
            "calldata-x.json": descriptor(
                display={
                    "definitions": {f"d{place}": {"label": "L", "format": "raw"} for place in range(n)},
                    "formats": {
                        SEND_KEY: {
                            "fields": [
                                {"path": "to", "$ref": f"$.display.definitions.d{place}"}
                                for place in range(n)
                            ]
                        }
                    },
                }
            )
        },
    ),
    "more and more levels": (2_000, lambda n: {"calldata-x.json": "[" * n}),
}

LARGE: dict[str, Files] = {
    "types that double": {"eip712-x.json": messages({DOUBLING: {"intent": "S", "fields": []}})},
    "fields that are merged": of([field(f"x{place}", "L") for place in range(15_000)], SEND_KEY)
    | {
        "common-x.json": {
            "display": {"formats": {SEND_KEY: {"fields": [field(f"x{n}", "M") for n in range(15_000)]}}}
        }
    },
    "many formats at many deployments": {
        "calldata-x.json": descriptor(
            {f"f{place}()": {"intent": "S", "fields": []} for place in range(1_000)}, *addresses(1_000)
        )
    },
    "groups that double": of([{"fields": fields(2) * 6_000}] * 2),
}
LARGE["fields that are merged"]["calldata-x.json"]["includes"] = "common-x.json"


def published(folder: Path, files: Files) -> tuple[FolderVerification, int]:
    """Judge descriptors and make their documents; return what was judged, and the number of documents."""
    for name, value in files.items():
        path = folder / "clear-signing" / "registry" / "x" / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(value if isinstance(value, str) else json.dumps(value), encoding="utf-8")
    records = Codes(ABI, [TOKEN, *addresses(1_000)])
    judged = verify_folder(DescriptorFolder(folder), records, with_unverified=True)
    documents = signing_documents(judged, SiteExamples(judged, {}), lambda _: {}, "now")
    return judged, len(list(documents))


def lines_of(work: Callable[[], object]) -> int:
    """Return how many lines of statuary run."""
    lines = 0

    def trace(frame: FrameType, event: str, _: object) -> Any:
        nonlocal lines
        if PACKAGE not in frame.f_code.co_filename:
            return None
        lines += event == "line"
        return trace

    sys.settrace(trace)
    try:
        work()
    finally:
        sys.settrace(None)
    return lines


@pytest.mark.slow
@pytest.mark.parametrize("shape", few_by_default(SHAPES, 3))
def test_descriptor_verification_cost_grows_linearly(tmp_path, shape):
    size, files = SHAPES[shape]
    published(tmp_path / "warm", files(1))
    alone = lines_of(lambda: published(tmp_path / "one", files(size)))
    double = lines_of(lambda: published(tmp_path / "two", files(2 * size)))
    assert double <= 2.1 * alone


@pytest.mark.slow
@pytest.mark.parametrize("shape", few_by_default(LARGE, 1))
def test_oversized_descriptor_exceeds_work_limit(tmp_path, shape):
    (judged, _) = published(tmp_path, LARGE[shape])
    assert {item.rule for item in judged.findings if item.severity == "error"} == {"limit-exceeded"}
    assert list(judged.published()) == []


def test_descriptor_work_limit_allows_real_descriptors():
    assert 10_000_000 // STEPS_OF_A_FORMAT > 6 * 6_270
