"""The edge module under Deno, held to the conformance vectors and to the Python side."""

import hashlib
import json
import random
from typing import Any

import pytest

from statuary.contracts.model.field_names import DOTTED, SELECTABLE
from statuary.extensions.serving.lookup import LookupRequest, answer_api_request
from statuary.site.document import encode_json
from support.edge_runtimes import answers_of_deno
from support.edge_vectors import EPOCHS, ERROR_ID, ODD, ODD_RECORD, TWIN, VECTORS, fixture_site, vectors_text
from support.random_runs import seeded, times
from support.sites import checksummed_path

Case = dict[str, Any]

SELECTIONS = times(1500)


def comparable(answer: Case | None, like: Case | None) -> Case | None:
    """Return an answer with only the headers that the vector names, and no random error id."""
    if answer is None or like is None or "failed" in answer:
        return answer
    headers = {name: answer["headers"].get(name.lower()) for name in like["headers"]}
    return {"status": answer["status"], "headers": headers, "body": ERROR_ID.sub("<uuid>", answer["body"])}


def test_edge_test_vectors_match_python_responses():
    assert VECTORS.read_text(encoding="utf-8") == vectors_text(), (
        "run: PYTHONPATH=tests python tests/support/edge_vectors.py"
    )


@pytest.mark.slow
@pytest.mark.parametrize("chunk", [None, 7])
def test_edge_module_returns_test_vector_responses(chunk):
    vectors = json.loads(VECTORS.read_text(encoding="utf-8"))
    cases = [{**case, "chunk": chunk} for case in vectors["cases"]]
    assert cases
    answers = answers_of_deno(fixture_site(), cases)
    for case, answer in zip(vectors["cases"], answers, strict=True):
        assert comparable(answer, case["answer"]) == case["answer"], case["target"]


@pytest.mark.slow
@pytest.mark.parametrize(
    "query",
    ["fields=stdJsonOutput,abi,runtimeBytecode.sourceMap,sources", "omit=matchId,deployment.deployer"],
)
def test_field_selection_ignores_chunk_size(query):
    target = f"/v2/contract/1/{ODD}?{query}"
    cases = [{"target": target, "chunk": size} for size in range(1, len(ODD_RECORD) + 1)]
    answers = answers_of_deno(fixture_site(), cases, digests=True)
    assert {answer["sha256"] for answer in answers} == {digest_of(target, fixture_site())}


def digest_of(target: str, site: dict[str, bytes]) -> str:
    answer = answer_api_request(LookupRequest(target=target), site.get, lambda: "<uuid>")
    assert answer is not None
    return hashlib.sha256(answer.body).hexdigest()


@pytest.mark.slow
def test_random_field_selections_match_python_bytes():
    chance = seeded(20_260_101)
    site = dict(fixture_site())
    paths = [f"v2/contract/1/0x{number:040x}" for number in range(200)]
    records = {path: random_record(chance) for path in paths}
    site |= records | {checksummed_path(path): body for path, body in records.items()}
    cases = [
        {
            "target": f"/{chance.choice(paths)}?{random_query(chance)}",
            "chunk": chance.choices([None, 1, 7, 100, 500], weights=[80, 1, 2, 7, 10])[0],
        }
        for _ in range(SELECTIONS)
    ]
    answers = answers_of_deno(site, cases, digests=True)
    different = [
        case["target"]
        for case, answer in zip(cases, answers, strict=True)
        if answer.get("sha256") != digest_of(case["target"], site)
    ]
    assert not different, different[:3]
    assert {answer["status"] for answer in answers} == {200}


@pytest.mark.slow
def test_random_invalid_queries_match_python_errors():
    chance = seeded(20_260_102)
    resources = [f"contract/1/{ODD}", f"contract/9/{TWIN}", "contract/1/0x1", "contracts/10", "contracts/x"]
    targets = [f"/v2/{chance.choice(resources)}?{random_text(chance)}" for _ in range(SELECTIONS // 5)]
    answers = answers_of_deno(fixture_site(), [{"target": target} for target in targets])
    for target, answer in zip(targets, answers, strict=True):
        expected = answer_api_request(LookupRequest(target=target), fixture_site().get, lambda: "<uuid>")
        assert expected is not None
        assert answer["status"] == expected.status, target
        assert ERROR_ID.sub("<uuid>", answer["body"]) == expected.body.decode(), target


def random_text(chance: random.Random) -> str:
    """Return a query string of the grammar's own pieces, valid or not."""
    names = ["fields", "omit", "limit", "sort", "afterMatchId"]
    marks = [
        "&",
        "=",
        ",",
        ".",
        "[",
        "]",
        "[]",
        "%",
        "%2",
        "%2C",
        "%C3%A9",
        "%C3",
        "+",
        "%20",
        "%5B",
        "&",
        "=",
    ]
    values = [
        "abi",
        "all",
        "deployment",
        "deployment.deployer",
        "compilation.name",
        "x",
        "1",
        "2.5",
        "asc",
        "desc",
    ]
    start = f"{chance.choice(names)}=" if chance.random() < 0.8 else ""
    pieces = chance.choices((*names, *marks, *values, *values), k=chance.randrange(7))
    return start + "".join(pieces)


def random_query(chance: random.Random) -> str:
    names = chance.choices((*SELECTABLE, *DOTTED), k=chance.choice([1, 1, 2, 3, 5, 9, 20]))
    return f"{chance.choice(['fields', 'omit'])}={','.join(names)}"


def random_record(chance: random.Random) -> bytes:
    """Return a record in which any member may be missing, misplaced, null, or anything at all."""
    names = [name for name in (*SELECTABLE, "match", "chainId", "address") if chance.random() < 0.8]
    if chance.random() < 0.3:
        chance.shuffle(names)
    groups: dict[str, list[str]] = {}
    for dotted in DOTTED:
        group, _, inner = dotted.partition(".")
        groups.setdefault(group, []).append(inner)
    members = (f"{json.dumps(name)}:{random_member(chance, groups.get(name))}" for name in names)
    return ("{" + ",".join(members) + "}").encode()


def random_member(chance: random.Random, inner: list[str] | None) -> str:
    if inner is None or chance.random() < 0.2:
        return random_value(chance, 3)
    kept = [name for name in (*inner, "more") if chance.random() < 0.8]
    return "{" + ",".join(f"{json.dumps(name)}:{random_value(chance, 2)}" for name in kept) + "}"


def random_value(chance: random.Random, depth: int) -> str:
    kind = chance.randrange(8 if depth else 5)
    if kind < 2:
        return chance.choice(["null", "true", "0", "-0.0", "1e400", "1.50", "12345678901234567890"])
    if kind < 5:
        pieces = ['\\"', "\\\\", "\\n", "\\u2028", "{", "}", "[", "]", ",", ":", "é", "😀", "abc", '\\\\\\"']
        return '"' + "".join(chance.choices(pieces, k=chance.randrange(12))) + '"'
    values = [random_value(chance, depth - 1) for _ in range(chance.randrange(4))]
    if kind == 5:
        return "[" + ",".join(values) + "]"
    return "{" + ",".join(f'"k{at}\\"":{value}' for at, value in enumerate(values)) + "}"


@pytest.mark.slow
def test_invalid_record_aborts_field_selection():
    site = fixture_site() | {f"v2/contract/1/{TWIN}": b'{"matchId":"1","abi":['}
    cases = [{"target": f"/v2/contract/1/{TWIN}?fields=abi"}]
    assert "failed" in answers_of_deno(site, cases)[0]


@pytest.mark.slow
@pytest.mark.parametrize(
    "target",
    [
        f"/v2/contract/1/{ODD}",
        f"/v2/contract/1/{ODD}?fields=abi,metadata",
        f"/v2/contract/1/{ODD}?omit=abi",
        "/v2/contracts/1",
        "/v2/contracts/1?limit=1",
        f"/v2/contract/all-chains/{ODD}",
        "/chains",
    ],
)
def test_matching_etag_returns_304(target):
    first = answers_of_deno(fixture_site(), [{"target": target}])[0]
    tag = first["headers"]["etag"]
    strong = tag.removeprefix("W/")
    held = [
        {"target": target, "headers": {"If-None-Match": text}} for text in (tag, strong, f'"x", {tag}', "*")
    ]
    others = [{"target": f"/v2/contract/1/{ODD}?fields=devdoc", "headers": {"If-None-Match": tag}}]
    *not_modified, other = answers_of_deno(fixture_site(), held + others)
    for answer in not_modified:
        assert (answer["status"], answer["body"], answer["headers"]["etag"]) == (304, "", tag)
    assert other["status"] == 200


@pytest.mark.slow
def test_selected_fields_keep_host_cache_headers():
    answer = answers_of_deno(fixture_site(), [{"target": f"/v2/contract/1/{ODD}?fields=abi"}])[0]
    assert answer["headers"]["cache-control"] == "public, max-age=0, must-revalidate"
    assert "content-length" not in answer["headers"]


@pytest.mark.slow
def test_contract_without_chain_list_responds_404():
    site = {path: body for path, body in fixture_site().items() if path != "chains"}
    target = f"/v2/contract/424242/{ODD}"
    answer = answers_of_deno(site, [{"target": target}, {"target": "/chains"}])
    expected = encode_json(
        {"match": None, "creationMatch": None, "runtimeMatch": None, "chainId": "424242", "address": ODD}
    )
    assert (answer[0]["status"], answer[0]["body"]) == (404, expected.decode())
    assert answer[1]["status"] == 404
    python = answer_api_request(LookupRequest(target=target), site.get, str)
    assert python is not None
    assert python.body == expected


@pytest.mark.slow
@pytest.mark.parametrize(
    ("now", "stale"),
    [
        ("2026-11-20T12:00:00Z", None),
        ("2026-12-24T23:59:59Z", None),
        ("2026-12-25T00:00:00Z", "2026-12-25T00:00:00.000Z"),
        ("2027-06-01T00:00:00Z", "2026-12-25T00:00:00.000Z"),
    ],
)
def test_stale_status_has_stale_since_header(now, stale):
    index = encode_json(EPOCHS | {"until": "2026-12-25T00:00:00.000Z"})
    site = fixture_site() | {"api/v2/_epochs/index.json": index}
    timed, other = answers_of_deno(
        site, [{"target": "/api/v2/summary.json", "now": now}, {"target": "/chains", "now": now}]
    )
    assert timed["headers"].get("statuary-stale-since") == stale
    assert "statuary-stale-since" not in other["headers"]


@pytest.mark.slow
@pytest.mark.parametrize(
    "versions",
    [{"whole": []}, {"whole": [], "patched": [1]}, {"whole": [99]}, {"whole": [0], "again": {"1": 99}}],
)
def test_inconsistent_epoch_index_is_ignored(versions):
    documents = EPOCHS["documents"] | {"api/v2/summary.json": versions}
    index = {"api/v2/_epochs/index.json": encode_json(EPOCHS | {"documents": documents})}
    none = {path: body for path, body in fixture_site().items() if path not in index}
    request = [{"target": "/api/v2/summary.json", "now": "2026-12-24T00:00:00Z"}]
    assert answers_of_deno(fixture_site() | index, request) == answers_of_deno(none, request)
