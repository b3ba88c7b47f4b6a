"""A site with Etherscan's calls about two contracts, and requests of it that nobody sends in good faith."""

import json
import random

from statuary.base.primitives import checksum_address
from statuary.contracts.settings import Chain
from statuary.extensions.apis.documents import derive_record_output
from statuary.extensions.apis.etherscan import iter_fixed_responses
from statuary.extensions.apis.settings import Api, ApisSettings
from support.contracts import made_record, unjudged

CHAIN, ABSENT = "31337", "0x" + "12" * 20
RECORD, OTHER = made_record("everything"), made_record("factory", address=checksum_address("0x" + "ab" * 20))
ADDRESS = RECORD["address"]


def site() -> dict[str, bytes]:
    """Return the documents of the site by path."""
    files: dict[str, bytes] = {}
    for record in (RECORD, OTHER):
        _, documents = derive_record_output(
            unjudged(record), ApisSettings((Api.ETHERSCAN,)), "contracts/x.json"
        )
        files |= {name: one.body for one in documents for name in (one.path, *one.aliases)}
    chains = (Chain(chain_id=CHAIN, name="One", title="Chain one"),)
    settings = iter_fixed_responses(chains, "https://site.example")
    return files | {path: json.dumps(body).encode() for path, body in settings}


SITE = site()

PATHS = (
    "/v2/api",
    "/v2/api",
    "/api",
    f"/explorer/{CHAIN}/api",
    "/explorer/7/api",
    "/V2/API/",
    "/v2/chainlist",
    "/explorer//api",
)
PIECES = (
    "module=contract", "module=contract", "module=", "Module=contract", f"chainid={CHAIN}", f"chainid={CHAIN}", "chainid=0",
    "chainid=%33", "action=getsourcecode", "action=getabi", "action=getcontractcreation", "action=GETABI",
    f"address={ADDRESS}", f"address={ADDRESS.lower()}", f"address={ADDRESS.upper()}", f"address={ABSENT}", "address=../..",
    f"contractaddresses={ADDRESS},{ABSENT}",
    f"contractaddresses={ABSENT}%2C{OTHER['address']}%2c{ADDRESS}", f"contractaddresses={','.join([ADDRESS] * 9 + [ABSENT, ADDRESS])}",
    f"contractaddresses={ADDRESS.lower()}", f"contractaddresses={ADDRESS},", "contractaddresses=,", "apikey=%00%zz", "address=%3Cscript%3E", "x=\\u2028",
    "address=0x" + "0" * 41, "__proto__=1", "=", "address", "module",
)  # fmt: skip


def hostile_targets(seed: int, count: int) -> list[str]:
    """Return targets of requests: paths of calls, each with up to seven parameters in any order."""
    dice = random.Random(seed)
    targets = []
    for number in range(count):
        pieces = dice.choices(PIECES, k=dice.randint(0, 7))
        if number % 2:  # nearly a good call, so that every answer comes
            action = dice.choice(("getsourcecode", "getabi", "getcontractcreation", "getcontractcreation"))
            pieces[dice.randint(0, len(pieces)) :] = [
                "module=contract", f"chainid={CHAIN}", f"action={action}",
                dice.choice([one for one in PIECES if one.startswith(("address=", "contractaddresses="))]),
            ]  # fmt: skip
        targets.append(f"{dice.choice(PATHS)}?{'&'.join(pieces)}")
    return targets
