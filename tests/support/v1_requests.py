"""A site with Blockscout's and Sourcify's v1 files about two contracts, and requests of it, good and hostile."""

import json
import random

from statuary.base.primitives import checksum_address
from statuary.extensions.apis.declarations import Declarations
from statuary.extensions.apis.documents import of_record
from statuary.extensions.apis.settings import Api, ApisSettings
from statuary.extensions.apis.signatures import signature_documents, signatures_of_site
from statuary.extensions.apis.v1_answers import ANSWERS
from support.contracts import made_record, unjudged

CHAIN, ABSENT = "31337", "0x" + "12" * 20
FULL = made_record("everything")
PARTIAL = made_record("other metadata", address=checksum_address("0x" + "ab" * 20))
assert (FULL["match"], PARTIAL["match"]) == ("exact_match", "match")


def site() -> dict[str, bytes]:
    """Return the documents of the site by path."""
    files: dict[str, bytes] = {}
    for record in (FULL, PARTIAL):
        _, documents = of_record(unjudged(record), ApisSettings((Api.BLOCKSCOUT,)), "contracts/x.json")
        files |= {name: one.body for one in documents for name in (one.path, *one.aliases)}
    declared = Declarations(("transfer(address,uint256)",), (), (("E(uint256)", "E(uint256 indexed)"),))
    signatures = signatures_of_site([declared.encode()], ["many_msg_babbage(bytes1)"])
    documents = signature_documents(signatures, "2026-01-01T00:00:00.000Z")
    files |= {one.path: one.body for one in documents}
    answers = {
        f"blockscout/answers/{name}": json.dumps(body, separators=(",", ":"))
        for name, body in ANSWERS.items()
    }
    return files | {path: body.encode() for path, body in answers.items()}


SITE = site()

ADDRESSES = (FULL["address"], FULL["address"].lower(), PARTIAL["address"], ABSENT)
WRONG = ("", "0x12", "..", "%2e%2e", f"{ABSENT}0", "<b>", "%00", "\\u2028", ABSENT.upper(), "%zz")
CHAINS = (CHAIN, CHAIN, "1", "0")
WRONG_CHAINS = ("", "x", "-1", "9" * 21, "%31")


def file_targets(dice: random.Random, count: int) -> list[str]:
    """Return requests for files that are there or missing."""
    folders = ("files/any/{}/{}", "files/{}/{}", "blockscout/{}/api/v2/smart-contracts/{}")
    return [
        "/" + dice.choice(folders).format(dice.choice(CHAINS), dice.choice(ADDRESSES)) for _ in range(count)
    ]


def single_checks(dice: random.Random, count: int) -> list[str]:
    """Return requests for the state of one address on one chain."""
    paths = ("/check-by-addresses", "/checkByAddresses", "/CHECK-BY-ADDRESSES/")
    targets = []
    for _ in range(count):
        pieces = [f"addresses={dice.choice(ADDRESSES)}", f"chainIds={dice.choice(CHAINS)}"]
        pieces += dice.choices(("x=1", "=", "&", f"addresses={ABSENT}", "Addresses=7", "chainIds=5"), k=2)
        targets.append(f"{dice.choice(paths)}?{'&'.join(pieces)}")
    return targets


def list_checks(dice: random.Random, count: int) -> list[str]:
    """Return requests for the state of several addresses, and for what is none."""
    targets = []
    for _ in range(count):
        path = dice.choice(("/check-by-addresses", "/check-all-by-addresses", "/checkAllByAddresses/"))
        lists = [
            dice.choice((",", "%2C", "%2c")).join(dice.choices(those, k=dice.randint(0, 12)))
            for those in (
                dice.choice((ADDRESSES, ADDRESSES, ADDRESSES + WRONG)),
                dice.choice((CHAINS, CHAINS, CHAINS + WRONG_CHAINS)),
            )
        ]
        targets.append(f"{path}?addresses={lists[0]}&chainIds={lists[1]}")
    return targets


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
