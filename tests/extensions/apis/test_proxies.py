"""Proxies: the ABI merged with those of their implementations, their history, and what an upgrade changes."""

import json
from pathlib import Path
from typing import Any

import orjson
import pytest

from statuary.contracts.model.abi import signature_hash
from statuary.extensions.apis.implementation_changes import compare_proxy_implementations
from statuary.extensions.apis.merged_abi import merge_abis
from statuary.extensions.apis.proxies import (
    ProxyVersion,
    choose_implementation_pairs,
    merge_proxy_history,
    parse_published_versions,
)
from support.contracts import made_record
from support.proxy_sites import (
    CLASHING,
    FOLDER,
    LATER,
    OWNER,
    TOTAL,
    TRANSFER,
    build_unchecked,
    change,
    content_with_proxy,
    error,
    event,
    function,
    layout,
    upgrade,
)
from support.sites import CHAIN, NOW, address_of, built_files, files_in, path_of

PROXY, FIRST, SECOND = "0x" + "aa" * 20, "0x" + "bb" * 20, "0x" + "cc" * 20


def origins(proxy: list[Any], *implementations: list[Any]) -> list[tuple[str, tuple[str, ...]]]:
    merged = merge_abis((PROXY, proxy), list(zip((FIRST, SECOND), implementations, strict=False)))
    return [(one.signature or one.kind, one.addresses) for one in merged.entries]


def test_merged_proxy_abi_states_origin_contract():
    own = [{"type": "constructor", "inputs": []}, {"type": "fallback"}, function("admin")]
    other = [{"type": "constructor", "inputs": []}, {"type": "receive"}, {"type": "fallback"}, function("f")]
    assert origins(own, other) == [
        ("constructor", (PROXY,)),
        ("fallback", (PROXY,)),
        ("admin()", (PROXY,)),
        ("receive", (FIRST,)),
        ("f()", (FIRST,)),
    ]


def test_shared_event_lists_proxy_and_implementation():
    both = [event("Upgraded", True), error("Bad", "uint256")]
    assert origins(both, both) == [
        ("Upgraded(uint256)", (PROXY, FIRST)),
        ("Bad(uint256)", (PROXY, FIRST)),
    ]


def clashes(proxy: list[Any], *implementations: list[Any]) -> list[tuple[str, str, str]]:
    merged = merge_abis((PROXY, proxy), list(zip((FIRST, SECOND), implementations, strict=False)))
    for clash in merged.clashes:
        assert clash.first.key == clash.second.key == clash.key
    return [(one.kind, one.first.addresses[0], one.second.addresses[0]) for one in merged.clashes]


def test_proxy_function_hides_equal_selector():
    assert signature_hash("many_msg_babbage(bytes1)")[:10] == signature_hash("transfer(address,uint256)")[:10]
    for hidden in (TRANSFER, CLASHING):
        assert origins([CLASHING], [hidden]) == [("many_msg_babbage(bytes1)", (PROXY,))]
        assert clashes([CLASHING], [hidden]) == [("shadowed", PROXY, FIRST)]


def test_facet_selector_clash_is_reported():
    assert clashes([], [TRANSFER], [CLASHING]) == [("selector", FIRST, SECOND)]
    assert clashes([], [TRANSFER], [TRANSFER]) == [("selector", FIRST, SECOND)]
    assert clashes([TRANSFER], [function("f")]) == []


def test_events_of_equal_topic_are_kept():
    one, other = event("Moved", True, False), event("Moved", False, True)
    assert [text for text, _ in origins([one], [other])] == ["Moved(uint256,uint256)"] * 2
    assert clashes([one], [other]) == [("topic", PROXY, FIRST)]


def gap(length: int) -> dict[str, Any]:
    return {
        "encoding": "inplace",
        "label": f"uint256[{length}]",
        "base": "uint",
        "numberOfBytes": str(32 * length),
    }


def changed(
    before: dict[str, Any] | None, after: dict[str, Any] | None
) -> list[tuple[str, str, bool]] | None:
    old, new = made_record() | {"storageLayout": before}, made_record() | {"storageLayout": after}
    storage = compare_proxy_implementations(old, new).storage
    return None if storage is None else [(one.label, one.change, one.is_hazard) for one in storage]


@pytest.mark.parametrize(
    ("after", "expected"),
    [
        ((OWNER, TOTAL), []),
        ((OWNER, TOTAL, ("more", 2, 0, "uint")), [("more", "added", False)]),
        ((OWNER,), [("total", "removed", False)]),
        ((OWNER, ("sum", 1, 0, "uint")), [("total", "renamed", False)]),
        ((OWNER, ("sum", 1, 0, "small")), [("total", "replaced", True), ("sum", "added", False)]),
        ((OWNER, ("total", 1, 0, "small")), [("total", "retyped", True)]),
        (
            (("total", 0, 0, "uint"), ("owner", 1, 0, "address")),
            [("owner", "moved", True), ("total", "moved", True)],
        ),
        ((("paused", 0, 0, "small"), ("owner", 1, 0, "address")), None),
        ((("owner", 0, 0, "token"), TOTAL), []),  # both are read as 20 bytes of an address
    ],
)
def test_moved_storage_variable_is_upgrade_hazard(after, expected):
    got = changed(layout(OWNER, TOTAL), layout(*after))
    if expected is None:
        assert ("owner", "moved", True) in got
        assert ("total", "replaced", True) in got
    else:
        assert got == expected


def test_shrunk_storage_gap_is_no_hazard():
    before = layout(OWNER, ("__gap", 1, 0, "gap"), ("last", 51, 0, "uint"), gap=gap(50))
    shorter = layout(OWNER, TOTAL, ("__gap", 2, 0, "gap"), ("last", 51, 0, "uint"), gap=gap(49))
    pushed = layout(OWNER, TOTAL, ("__gap", 2, 0, "gap"), ("last", 52, 0, "uint"), gap=gap(50))
    assert changed(before, shorter) == [("total", "added", False)]
    assert changed(before, pushed) == [("last", "moved", True), ("total", "added", False)]


def struct(*members: tuple[str, int, str], name: str = "Old") -> dict[str, Any]:
    return {
        "encoding": "inplace",
        "label": f"struct A.{name}",
        "numberOfBytes": str(32 * len(members)),
        "members": [
            {"label": label, "slot": str(slot), "offset": 0, "type": kind} for label, slot, kind in members
        ],
    }


def test_mapped_structs_compare_by_member():
    by_key = {"encoding": "mapping", "label": "mapping", "key": "uint", "value": "of", "numberOfBytes": "32"}
    one = layout(("all", 0, 0, "by"), by=by_key, of=struct(("a", 0, "uint"), ("b", 1, "uint")))
    renamed = layout(
        ("all", 0, 0, "by"), by=by_key, of=struct(("x", 0, "uint"), ("b", 1, "uint"), name="New")
    )
    other = layout(("all", 0, 0, "by"), by=by_key, of=struct(("a", 0, "address"), ("b", 1, "uint")))
    assert changed(one, renamed) == []
    assert changed(one, other) == [("all", "retyped", True)]


def test_recursive_storage_types_compare_without_loop():
    inner = {"encoding": "mapping", "label": "m", "key": "uint", "value": "self", "numberOfBytes": "32"}
    assert changed(*[layout(("a", 0, 0, "self"), self=struct(("next", 0, "m")), m=inner)] * 2) == []
    doubling = {f"t{n}": struct(("l", 0, f"t{n + 1}"), ("r", 1, f"t{n + 1}")) for n in range(30)}
    doubling["t30"] = struct(("v", 0, "uint"))
    assert changed(*[layout(("a", 0, 0, "t0"), **doubling)] * 2) == []


def test_vyper_storage_layouts_are_compared():
    def vyper(slot: int, kind: str = "uint256") -> dict[str, Any]:
        return {"storage_layout": {"total": {"type": kind, "slot": slot, "n_slots": 1}}}

    assert changed(vyper(0), vyper(0)) == []
    assert changed(vyper(0), vyper(1)) == [("total", "moved", True)]
    assert changed(vyper(0), vyper(0, "int256")) == [("total", "retyped", True)]
    assert changed(vyper(0), None) is None
    assert changed(None, vyper(0)) is None


def sources(before: str, after: str) -> list[dict[str, Any]]:
    old, new = made_record(), made_record()
    old["sources"], new["sources"] = {"A.sol": {"content": before}}, {"A.sol": {"content": after}}
    return [one.to_json() for one in compare_proxy_implementations(old, new).sources]


def test_implementation_source_diff_lists_changed_lines():
    lines = [f"line {number}" for number in range(1, 11)]
    after = [*lines[:7], "other", *lines[8:]]
    [change] = sources("\n".join(lines), "\n".join(after))
    assert change["lines"] == [
        "@@ -5,6 +5,6 @@",
        " line 5",
        " line 6",
        " line 7",
        "-line 8",
        "+other",
        " line 9",
        " line 10",
    ]
    assert sources("a\nb", "a\nb") == []
    long = "\n".join(f"a{number}" for number in range(5_000))
    [cut] = sources(long, long.replace("a", "b"))
    assert (cut["change"], cut["cut"], cut["lines"]) == ("changed", True, [])


def test_proxy_history_continues_from_previous_build():
    started = merge_proxy_history((), (), [FIRST], NOW)
    assert started == [ProxyVersion((FIRST,), NOW)]
    assert merge_proxy_history((), started, [FIRST], LATER) == started
    upgraded = merge_proxy_history((), started, [SECOND], LATER)
    assert upgraded == [*started, ProxyVersion((SECOND,), LATER)]
    back = merge_proxy_history((), upgraded, [FIRST], "2028-01-01T00:00:00.000Z")
    assert [version.implementations for version in back] == [(FIRST,), (SECOND,), (FIRST,)]
    stated = [ProxyVersion((FIRST,), "", 17, "file")]
    assert merge_proxy_history(stated, upgraded, [SECOND], NOW) == [*stated, upgraded[1]]
    for damaged in (None, b"{", b"[]", b'{"history":[{"implementations":7}]}'):
        assert parse_published_versions(damaged) == []


def test_implementation_compares_with_next_and_current():
    third = "0x" + "dd" * 20
    history = [ProxyVersion((one,)) for one in (FIRST, SECOND, third)]
    assert choose_implementation_pairs(history) == [(FIRST, SECOND), (SECOND, third), (FIRST, third)]
    assert choose_implementation_pairs(history[:1]) == []
    assert choose_implementation_pairs([*history, ProxyVersion((FIRST, SECOND))]) == []


def in_folder(out: Path) -> dict[str, bytes]:
    prefix = f"{FOLDER}/"
    return {
        path.removeprefix(prefix): body for path, body in files_in(out).items() if path.startswith(prefix)
    }


@pytest.mark.slow
def test_proxy_upgrade_adds_published_comparison(tmp_path):
    content, out = content_with_proxy(tmp_path), tmp_path / "out"
    change(content, 2, storageLayout=layout(OWNER, TOTAL), abi=[function("f"), TRANSFER])
    change(content, 3, storageLayout=layout(TOTAL), abi=[function("f"), function("g")])
    assert build_unchecked(content, out).applied
    first = in_folder(out)
    assert set(first) == {"resolved.json", "abi.json"}
    assert files_in(out)[f"{FOLDER.lower()}/resolved.json"] == first["resolved.json"]
    resolved = json.loads(first["resolved.json"])
    assert resolved["complete"] is True
    [listed] = json.loads((out / "proxies/index.json").read_bytes())["proxies"]
    assert (listed["address"], listed["implementations"]) == (address_of(1), [address_of(2)])
    assert [one["item"] for one in resolved["abi"]] == json.loads(first["abi.json"])
    assert {"function", "event", "error"} <= {one["type"] for one in resolved["abi"]}
    assert [one["from"] for one in resolved["abi"] if one.get("signature") == "f()"] == [[address_of(2)]]
    upgrade(content, 3)
    assert build_unchecked(content, out, LATER).applied
    second = in_folder(out)
    pair = f"{address_of(2)}-{address_of(3)}"
    assert set(second) == {"resolved.json", "abi.json", f"{pair}.json"}
    resolved = json.loads(second["resolved.json"])
    record = json.loads((content / path_of(1)).read_bytes())
    verified = record["verifiedAt"].replace("Z", ".000Z")
    assert [(one["implementations"], one["since"]) for one in resolved["history"]] == [
        ([address_of(2)], verified),
        ([address_of(3)], LATER),
    ]
    assert resolved["changes"] == [
        {"before": address_of(2), "after": address_of(3), "path": f"{FOLDER}/{pair}.json"}
    ]
    changes = json.loads(second[f"{pair}.json"])
    assert changes["hazards"] == 0
    assert [(one["change"], one["variable"]) for one in changes["storage"]] == [("removed", "owner")]
    assert [(one["change"], one["signature"]) for one in changes["abi"]] == [
        ("added", "g()"),
        ("removed", "transfer(address,uint256)"),
    ]


@pytest.mark.slow
def test_proxy_without_implementation_record_is_incomplete(tmp_path):
    content, out = content_with_proxy(tmp_path), tmp_path / "out"
    (content / path_of(2)).unlink()
    build_unchecked(content, out)
    resolved = json.loads(in_folder(out)["resolved.json"])
    assert resolved["complete"] is False
    assert resolved["implementations"] == [{"address": address_of(2), "name": None, "record": None}]


@pytest.mark.slow
def test_unchanged_contracts_keep_proxy_documents(tmp_path, monkeypatch):
    content, out = content_with_proxy(tmp_path), tmp_path / "out"
    build_unchecked(content, out)
    before = in_folder(out)
    monkeypatch.setattr("statuary.extensions.apis.site_documents.list_proxies", None)
    assert build_unchecked(content, out, LATER).applied
    incident = content / "incidents/slow.yaml"
    incident.write_text(incident.read_text().replace("Slow", "Very slow"))
    result = build_unchecked(content, out, LATER)
    assert result.applied
    assert not [one for one in result.checked.all_findings if one.rule == "extension-error"]
    assert in_folder(out) == before


def test_exception_in_proxy_keeps_previous_documents(tmp_path, monkeypatch):
    content, out = content_with_proxy(tmp_path), tmp_path / "out"
    build_unchecked(content, out)
    before = in_folder(out)
    upgrade(content, 3)
    change(content, 4, proxyResolution=orjson.loads((content / path_of(1)).read_bytes())["proxyResolution"])
    made = "statuary.extensions.apis.proxy_documents.resolve_proxy"
    from statuary.extensions.apis.proxies import resolve_proxy

    def fails_once(place: tuple[str, str], *others: Any) -> object:
        return 1 // 0 if place[1] == address_of(1) else resolve_proxy(place, *others)

    with monkeypatch.context() as broken:
        broken.setattr(made, fails_once)
        result = build_unchecked(content, out, LATER)
    assert result.applied
    assert in_folder(out) == before
    assert f"proxies/{CHAIN}/{address_of(4)}/resolved.json" in files_in(out)
    defects = [one.message for one in result.checked.all_findings if one.rule == "internal-error"]
    assert [address_of(1) in message for message in defects] == [True]
    assert build_unchecked(content, out, LATER).applied
    resolved = json.loads(in_folder(out)["resolved.json"])
    assert [one["implementations"] for one in resolved["history"]] == [[address_of(2)], [address_of(3)]]


def test_history_file_adds_previous_implementations(tmp_path):
    content, out = content_with_proxy(tmp_path), tmp_path / "out"
    file = content / f"apis/proxies/{CHAIN}/{address_of(1).lower()}.json"
    file.parent.mkdir(parents=True)
    file.write_text(
        json.dumps(
            [
                {"implementation": address_of(3), "block": 17},
                {"implementation": address_of(2), "since": "2026-01-02T03:04:05Z"},
            ]
        )
    )
    build_unchecked(content, out)
    resolved = json.loads(in_folder(out)["resolved.json"])
    assert resolved["history"] == [
        {"implementations": [address_of(3)], "since": None, "block": 17, "statedBy": "file"},
        {
            "implementations": [address_of(2)],
            "since": "2026-01-02T03:04:05.000Z",
            "block": None,
            "statedBy": "file",
        },
    ]
    assert f"{address_of(3)}-{address_of(2)}.json" in in_folder(out)


@pytest.mark.slow
@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("{", "the file is not JSON"),
        ("{}", "not a list"),
        ("[7]", "entry 1 of the list: write an object"),
        ('[{"implementation": "0x12"}]', "entry 1 of the list: address"),
        ('[{"since": "2026-01-02T03:04:05Z"}]', "names no `implementation`"),
        ('[{"implementation": "0x%s", "since": "now"}]' % ("ab" * 20), "not a date"),
        ('[{"implementation": "0x%s", "block": -1}]' % ("ab" * 20), "not a block number"),
    ],
)
def test_invalid_proxy_history_file_is_reported(tmp_path, text, message):
    content, out = content_with_proxy(tmp_path), tmp_path / "out"
    file = content / f"apis/proxies/{CHAIN}/{address_of(1)}.json"
    file.parent.mkdir(parents=True)
    file.write_text(text)
    result = build_unchecked(content, out)
    assert result.applied
    [finding] = [one for one in result.checked.all_findings if one.rule == "invalid-api-file"]
    assert message in finding.message
    assert "resolved.json" in in_folder(out)


def test_proxy_pages_show_upgrade_hazards(tmp_path):
    content, out = content_with_proxy(tmp_path, pages=True), tmp_path / "out"
    change(content, 1, abi=[CLASHING, {"type": "fallback", "stateMutability": "payable"}])
    change(content, 2, storageLayout=layout(OWNER, TOTAL), abi=[TRANSFER])
    change(content, 3, storageLayout=layout(TOTAL, ("owner", 0, 0, "uint")), abi=[TRANSFER])
    build_unchecked(content, out)
    upgrade(content, 3)
    build_unchecked(content, out, LATER)
    pages = in_folder(out)
    page = pages["index.html"].decode()
    assert "many_msg_babbage(bytes1) of" in page
    assert f"{address_of(2)}-{address_of(3)}.html" in page
    comparison = pages[f"{address_of(2)}-{address_of(3)}.html"].decode()
    assert "1 variable at risk" in comparison
    assert "type changed" in comparison
    contract = (out / f"contracts/{CHAIN}/{address_of(1)}.html").read_text()
    assert f"{FOLDER}/index.html" in contract
    plain = (out / f"contracts/{CHAIN}/{address_of(2)}.html").read_text()
    assert "proxies/" not in plain.partition("<main")[2]


@pytest.mark.slow
def test_disabled_proxies_removes_documents(tmp_path):
    content, out = content_with_proxy(tmp_path), tmp_path / "out"
    build_unchecked(content, out)
    site = content / "site.yaml"
    site.write_text(site.read_text().replace("apis: [proxies]\n", ""))
    assert not [path for path in built_files(content, out) if path.startswith("proxies/")]
