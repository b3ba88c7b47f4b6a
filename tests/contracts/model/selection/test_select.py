"""Cutting a record, on a record whose spelling a parser would lose."""

import json

import pytest

from statuary.extensions.serving.selection import parse_selection, select_members

RECORD = (
    rb'{"matchId":"7","creationMatch":null,"runtimeMatch":"match","verifiedAt":"2026-01-02T03:04:05Z",'
    rb'"deployment":{"transactionHash":null,"blockNumber":"1","transactionIndex":"0","deployer":null},'
    rb'"sources":{"a.sol":{"content":"\"abi\":[}\\"}},"abi":[{"big":1e400,"one":1.0}],'
    rb'"signatures":null,"newMember":0.10,"match":"match","chainId":"1","address":"0xAb"}'
)


def cut(fields: str | None = None, omit: str | None = None) -> bytes:
    return select_members(RECORD, parse_selection(fields, omit))


def names(body: bytes) -> list[str]:
    return list(json.loads(body))


def test_full_selection_returns_record():
    assert select_members(RECORD, parse_selection("all", None)) is RECORD


def test_fields_precede_base_and_identity():
    assert names(cut("sources,runtimeMatch,abi")) == [
        "sources",
        "runtimeMatch",
        "abi",
        "matchId",
        "creationMatch",
        "verifiedAt",
        "match",
        "chainId",
        "address",
    ]


def test_selected_bytes_match_record():
    assert cut("abi").startswith(b'{"abi":[{"big":1e400,"one":1.0}],"matchId":"7",')


def test_member_parts_keep_request_order():
    assert cut("deployment.deployer,deployment.blockNumber").startswith(
        b'{"deployment":{"deployer":null,"blockNumber":"1"},"matchId"'
    )


def test_whole_member_follows_requested_parts():
    assert cut("deployment.deployer,deployment").startswith(
        b'{"deployment":{"deployer":null,"transactionHash":null,"blockNumber":"1","transactionIndex":"0"},'
    )


WITH_CODE = RECORD[:-1] + (
    b',"runtimeBytecode":{"onchainBytecode":"0x01","sourceMap":""},"creationBytecode":{"onchainBytecode":null},'
    b'"proxyResolution":{"isProxy":false}}'
)


@pytest.mark.parametrize(
    ("fields", "begins"),
    [
        (
            "proxyResolution.onchainRuntimeBytecode",
            b'"proxyResolution":{"onchainRuntimeBytecode":"0x01"},"matchId"',
        ),
        (
            "proxyResolution.onchainCreationBytecode,abi,proxyResolution.onchainRuntimeBytecode",
            b'"proxyResolution":{"onchainCreationBytecode":null,"onchainRuntimeBytecode":"0x01"},"abi":',
        ),
        (
            "proxyResolution.onchainRuntimeBytecode,proxyResolution",
            b'"proxyResolution":{"isProxy":false},"matchId"',
        ),
        (
            "proxyResolution,proxyResolution.onchainRuntimeBytecode",
            b'"proxyResolution":{"isProxy":false},"matchId"',
        ),
    ],
)
def test_proxy_resolution_has_code_parts(fields, begins):
    assert select_members(WITH_CODE, parse_selection(fields, None)).startswith(b"{" + begins)


def test_code_parts_need_no_resolution():
    without = WITH_CODE.replace(b',"proxyResolution":{"isProxy":false}', b"")
    body = select_members(without, parse_selection("proxyResolution.onchainRuntimeBytecode", None))
    assert body.startswith(b'{"proxyResolution":{"onchainRuntimeBytecode":"0x01"},"matchId"')
    body = select_members(RECORD, parse_selection("proxyResolution.onchainRuntimeBytecode", None))
    assert body.startswith(b'{"proxyResolution":{},"matchId"')


def test_missing_members_are_omitted():
    assert names(cut("metadata,userdoc,abi"))[0] == "abi"


def test_selected_part_of_null_is_null():
    assert cut("signatures.event").startswith(b'{"signatures":null,"matchId"')


def test_omit_keeps_order_and_unknown_members():
    assert names(cut(omit="abi,deployment")) == [
        "matchId",
        "creationMatch",
        "runtimeMatch",
        "verifiedAt",
        "sources",
        "signatures",
        "newMember",
        "match",
        "chainId",
        "address",
    ]
    assert b'"newMember":0.10' in cut(omit="abi")


def test_omitted_base_members_move_to_end():
    assert names(cut(omit="verifiedAt,matchId,sources,abi,signatures,deployment")) == [
        "creationMatch",
        "runtimeMatch",
        "newMember",
        "matchId",
        "verifiedAt",
        "match",
        "chainId",
        "address",
    ]


def test_nested_omit_removes_part():
    assert b'"deployment":{"blockNumber":"1","transactionIndex":"0"}' in cut(
        omit="deployment.deployer,deployment.transactionHash"
    )


def test_omitting_every_part_leaves_empty_object():
    parts = ("transactionHash", "blockNumber", "transactionIndex", "deployer")
    assert b'"deployment":{},"sources"' in cut(omit=",".join(f"deployment.{part}" for part in parts))


@pytest.mark.parametrize("selection", [{"fields": "abi"}, {"omit": "abi"}])
def test_identity_is_always_last(selection):
    record = b'{"address":"0x1","match":null,"abi":[],"matchId":"1","sources":{},"chainId":"1"}'
    body = select_members(record, parse_selection(selection.get("fields"), selection.get("omit")))
    assert names(body)[-3:] == ["match", "chainId", "address"]
