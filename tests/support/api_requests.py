"""A site with Blockscout's answer about a contract and with signatures, and requests of it, good and hostile."""

import random

from statuary.extensions.apis.blockscout import NOT_VERIFIED
from statuary.extensions.apis.declarations import Declarations
from statuary.extensions.apis.documents import derive_record_output
from statuary.extensions.apis.settings import Api, ApisSettings
from statuary.extensions.apis.signatures import collect_signatures, iter_signature_documents
from statuary.site.document import encode_json
from support.contracts import made_record, unjudged

CHAIN, ABSENT = "31337", "0x" + "12" * 20
FULL = made_record("everything")


def site() -> dict[str, bytes]:
    """Return the documents of the site by path."""
    _, documents = derive_record_output(unjudged(FULL), ApisSettings((Api.BLOCKSCOUT,)), "contracts/x.json")
    files = {path: one.body for one in documents for path in (one.path, *one.aliases)}
    declared = Declarations(("transfer(address,uint256)",), (), (("E(uint256)", "E(uint256 indexed)"),))
    signatures = collect_signatures([declared.encode()], ["many_msg_babbage(bytes1)"])
    documents = iter_signature_documents(signatures, "2026-01-01T00:00:00.000Z")
    files |= {one.path: one.body for one in documents}
    return files | {"blockscout/answers/contract": encode_json(NOT_VERIFIED)}


SITE = site()

ADDRESSES = (FULL["address"], FULL["address"].lower(), ABSENT, ABSENT.upper())
CHAINS = (CHAIN, CHAIN, "1", "0")


def contract_targets(dice: random.Random, count: int) -> list[str]:
    """Return requests for contracts that are there or missing."""
    return [
        f"/blockscout/{dice.choice(CHAINS)}/api/v2/smart-contracts/{dice.choice(ADDRESSES)}"
        for _ in range(count)
    ]


def directory_targets(dice: random.Random, count: int) -> list[str]:
    """Return requests for signatures as 4byte.directory takes them."""
    hashes = (
        "0xa9059cbb",
        "0xA9059CBB",
        "0x00000000",
        "a9059cbb",
        "0x",
        "",
        "0xzz",
        "0x" + "1" * 64,
        "%30x12345678",
    )
    paths = ("/api/v1/signatures/", "/api/v1/signatures", "/api/v1/event-signatures/")
    return [f"{dice.choice(paths)}?format=json&hex_signature={dice.choice(hashes)}" for _ in range(count)]
