"""Cutting a record, on a record whose spelling a parser would lose."""

import json

import pytest

from statuary.extensions.serving.selection import parse_selection, select

RECORD = (
    rb'{"matchId":"7","creationMatch":null,"runtimeMatch":"match","verifiedAt":"2026-01-02T03:04:05Z",'
    rb'"deployment":{"transactionHash":null,"blockNumber":"1","transactionIndex":"0","deployer":null},'
    rb'"sources":{"a.sol":{"content":"\"abi\":[}\\"}},"abi":[{"big":1e400,"one":1.0}],'
    rb'"signatures":null,"newMember":0.10,"match":"match","chainId":"1","address":"0xAb"}'
)


def cut(fields: str | None = None, omit: str | None = None) -> bytes:
    return select(RECORD, parse_selection(fields, omit))


def names(body: bytes) -> list[str]:
    return list(json.loads(body))


def test_selecting_everything_returns_the_record():
    assert select(RECORD, parse_selection("all", None)) is RECORD


def test_fields_come_in_request_order_then_the_base_then_the_identity():
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


def test_the_bytes_are_those_of_the_record():
    assert cut("abi").startswith(b'{"abi":[{"big":1e400,"one":1.0}],"matchId":"7",')


def test_parts_of_a_member_come_in_request_order():
    assert cut("deployment.deployer,deployment.blockNumber").startswith(
        b'{"deployment":{"deployer":null,"blockNumber":"1"},"matchId"'
    )


def test_parts_then_the_whole_is_the_parts_first():
    assert cut("deployment.deployer,deployment").startswith(
        b'{"deployment":{"deployer":null,"transactionHash":null,"blockNumber":"1","transactionIndex":"0"},'
    )


def test_members_missing_in_the_record_are_missing_in_the_response():
    assert names(cut("metadata,userdoc,abi"))[0] == "abi"


def test_a_part_of_what_is_null_is_null():
    assert cut("signatures.event").startswith(b'{"signatures":null,"matchId"')


def test_omit_keeps_the_records_order_and_members_it_does_not_know():
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


def test_omitted_base_members_move_back():
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


def test_nested_omit_leaves_out_the_part():
    assert b'"deployment":{"blockNumber":"1","transactionIndex":"0"}' in cut(
        omit="deployment.deployer,deployment.transactionHash"
    )


def test_omitting_every_part_leaves_an_empty_object():
    parts = ("transactionHash", "blockNumber", "transactionIndex", "deployer")
    assert b'"deployment":{},"sources"' in cut(omit=",".join(f"deployment.{part}" for part in parts))


@pytest.mark.parametrize("selection", [{"fields": "abi"}, {"omit": "abi"}])
def test_identity_is_last_even_if_the_record_has_it_first(selection):
    record = b'{"address":"0x1","match":null,"abi":[],"matchId":"1","sources":{},"chainId":"1"}'
    body = select(record, parse_selection(selection.get("fields"), selection.get("omit")))
    assert names(body)[-3:] == ["match", "chainId", "address"]
