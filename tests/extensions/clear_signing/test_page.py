"""What a contract's page shows of clear signing: the browser's module is held to Python, and read in a browser."""

import json
import os
import subprocess
from pathlib import Path
from random import Random

import pytest

from statuary.base.errors import StatuaryError
from statuary.contracts.chain.merkle_trie import encode_rlp
from statuary.extensions.clear_signing.examples import Example, parse_data_provider, rendered_call_json
from statuary.extensions.clear_signing.formats import Token
from statuary.extensions.clear_signing.key_types import parse_function_key
from statuary.extensions.clear_signing.render import Call, render_call
from support.browser import browse
from support.check_bundle import SIGNING
from support.edge_runtimes import deno
from support.random_runs import seeded
from support.real_records import DATA
from support.registry_texts import Registry, differences, rendered_by_browser, written_example
from support.requirements import require_folder
from support.signing_sites import (
    APPROVE,
    DEPOSIT,
    OTHER,
    SEND,
    SEND_KEY,
    TOKEN,
    TOKEN_FILE,
    descriptor,
    field,
    function,
    messages,
    signed_record,
    signed_site,
)
from support.signing_sites import TRANSFER as SEND_ABI
from support.sites import CHAIN

pytestmark = pytest.mark.slow

PERMIT = "Permit(address owner,address spender,uint256 value)"
TRANSFER = "a9059cbb" + OTHER[2:].lower().rjust(64, "0") + f"{1_500_000:064x}"
CHAINS = {1: ("Ethereum", Token("ETH", 18)), int(CHAIN): ("Plinth", Token("PLN", 18)), 5: ("Görli", None)}
PROVIDER = {
    "tokens": {TOKEN: {"symbol": "TKN", "decimals": 6}, OTHER: {"symbol": "OTH", "decimals": 0}},
    "addressNames": {OTHER: "Ada"},
    "ensNames": {TOKEN: "token.eth"},
    "nftCollectionNames": {TOKEN: "Cats"},
    "blockTimestamps": {"7": 1_709_191_632},
}
METADATA = {
    "owner": "Plinth",
    "token": {"name": "Own", "ticker": "OWN", "decimals": 3},
    "constants": {"limit": 1000, "unit": "bp", "token": TOKEN, "big": 2**200},
    "enums": {"mode": {"0": "none", "1": "stable", "true": "yes"}},
    "maps": {"tokens": {"$keyType": "uint256", "values": {"1": TOKEN, "2": OTHER}}},
}

PARAMETERS = {
    "raw": [{}],
    "amount": [{}],
    "tokenAmount": [
        {"token": TOKEN},
        {"tokenPath": "@.to", "threshold": "0xff", "message": "All"},
        {"tokenPath": "other", "nativeCurrencyAddress": [TOKEN]},
        {"token": "$.metadata.token"},
        {"token": {"map": "$.metadata.maps.tokens", "keyPath": "small"}},
        {"token": TOKEN, "threshold": "$.metadata.constants.limit", "chainId": 1},
        {"tokenPath": "blob.[-20:]"},
    ],
    "nftName": [{"collection": TOKEN}, {"collectionPath": "@.to"}, {"collection": OTHER}],
    "date": [{"encoding": "timestamp"}, {"encoding": "blockheight"}],
    "duration": [{}],
    "unit": [
        {"base": "%", "decimals": 2},
        {"base": "h", "prefix": True},
        {"base": "$.metadata.constants.unit"},
    ],
    "enum": [{"$ref": "$.metadata.enums.mode"}],
    "chainId": [{}],
    "addressName": [{}, {"sources": ["ens"]}, {"senderAddress": ["other", TOKEN]}],
    "tokenTicker": [{}],
    "interoperableAddressName": [{}],
    "calldata": [{"calleePath": "@.to"}, {"callee": TOKEN, "selector": "0xa9059cbb", "amountPath": "small"}],
}
KEY = (
    "f(uint256 small,int64 signed,address other,bool flag,bytes blob,string text,bytes32 word,"
    "uint256[] list,(address who,uint128 sum)[2] pairs,uint160 packed)"
)
PATHS = (
    "small",
    "signed",
    "other",
    "flag",
    "blob",
    "text",
    "word",
    "word.[0:20]",
    "blob.[-4:]",
    "list.[]",
    "list.[-1]",
    "pairs.[].who",
    "pairs.[1].sum",
    "packed",
    "@.value",
    "@.from",
    "@.chainId",
    "$.metadata.constants.big",
)
VISIBLE = (
    None,
    "always",
    "optional",
    "never",
    {"ifNotIn": [0, "1", TOKEN]},
    {"mustMatch": [1, 2, True, OTHER]},
)
NUMBERS = (0, 1, 2, 5, 7, 255, 1_709_191_632, 253_402_300_799, 253_402_300_800, 10**18, 2**255, 2**256 - 1)


def random_call(random: Random) -> tuple[str, Call]:
    """Return calldata of KEY with random values, sometimes damaged, and its call."""

    def word(number: int) -> str:
        return f"{number % 2**256:064x}"

    blob = random.choice(("", "00", OTHER[2:].lower(), TRANSFER[8:], "f09f9880ff"))
    text = random.choice(("", "Ada", "{x} ümlaut", "\U0001f600")).encode().hex()
    numbers = [random.choice(NUMBERS) for _ in range(random.randrange(3))]
    tails = []
    for content in (blob, text):
        length = len(content) // 2
        tails.append(word(length) + content.ljust((length + 31) // 32 * 64, "0"))
    tails.append(word(len(numbers)) + "".join(map(word, numbers)))
    start, offsets = 13 * 32, []
    for tail in tails:
        offsets.append(start)
        start += len(tail) // 2
    heads = [
        random.choice(NUMBERS),
        random.choice((0, -5, 7, 2**63)),
        int(random.choice((TOKEN, OTHER)), 16),
        random.randrange(3),
        offsets[0],
        offsets[1],
        int(random.choice((TOKEN, "0x01")), 16) << 96,
        offsets[2],
        int(TOKEN, 16),
        random.choice(NUMBERS),
        int(OTHER, 16) + 2**200,
        5,
        int(TOKEN, 16),
    ]
    data = parse_function_key(KEY).selector[2:] + "".join(map(word, heads)) + "".join(tails)
    if random.random() < 0.1:
        data = data[: random.randrange(len(data) // 2) * 2]
    value = random.choice((None, 0, 10**18))
    return data, Call(
        int(random.choice((CHAIN, "5"))),
        TOKEN.lower(),
        bytes.fromhex(data),
        value,
        random.choice(("", OTHER.lower())),
    )


def random_case(random: Random) -> tuple[dict, Call]:
    """Return a descriptor with random fields, and a call."""

    def a_field() -> dict:
        name = random.choice(list(PARAMETERS))
        made = field(random.choice(PATHS), f"Label {random.randrange(9)}", name)
        made["params"] = random.choice(PARAMETERS[name])
        visible = random.choice(VISIBLE) if random.random() < 0.3 else None
        return made | ({"visible": visible} if visible else {})

    fields: list[dict] = [a_field() for _ in range(random.randrange(1, 5))]
    if random.random() < 0.3:
        inner = [field("who", "Who", "addressName"), field("sum", "Sum", "tokenAmount", tokenPath="who")]
        fields.append(
            {
                "path": "pairs.[]",
                "iteration": random.choice(("sequential", "bundled")),
                "fields": inner,
            }
        )
    if random.random() < 0.2:
        fields.append({"label": "Fixed", "value": random.choice((7, "0x01", TOKEN, True)), "format": "raw"})
    template = random.choice(("Do {small} of {other}", "All {{ {list.[]} }}", "Broken {", "Plain", "{none}"))
    spec = {"intent": "Do", "interpolatedIntent": template, "fields": fields}
    return descriptor({KEY: spec, SEND_KEY: SEND}, metadata=METADATA), random_call(random)[1]


def test_browser_renders_random_calls_like_python():
    random = seeded(7)
    cases = [random_case(random) for _ in range(1_500)]
    descriptors = {str(number): made for number, (made, _) in enumerate(cases)}
    written = [
        {"descriptor": str(number), "dataProvider": PROVIDER, **written_example(Example("", "", call, {}))}
        for number, (_, call) in enumerate(cases)
    ]
    in_browser = rendered_by_browser({"descriptors": descriptors, "bound": {}, "cases": written}, CHAINS)
    names, failed = parse_data_provider(PROVIDER, CHAINS), []
    for (made, call), other in zip(cases, in_browser, strict=True):
        try:
            rendered = render_call(made, call, names)
        except StatuaryError:
            rendered = None
        if rendered is None:
            failed.append((other.keys(), made["display"], call))
            continue
        known = [item.pop("isKnown", True) for item in other.get("fields", [])]
        assert other == rendered_call_json(rendered), (made["display"], call)
        assert known == [not line.note for line in rendered.lines]
    assert [one for one in failed if one[0] != {"error"}] == []
    assert 300 < len(failed) < 1_100


def test_both_renderers_pass_erc7730_tests(tmp_path):
    folder = Path(os.environ.get("STATUARY_ERC7730_REGISTRY", DATA / "clear-signing-erc7730-registry"))
    checkout = require_folder(
        folder, what="the registry of descriptors", install="git clone it and set STATUARY_ERC7730_REGISTRY"
    )
    registry = Registry(checkout, tmp_path)
    tests = list(registry.tests())
    assert len(tests) > 500
    for test, in_browser in zip(tests, registry.by_browser(tests), strict=True):
        assert differences(test.expected, in_browser) == [], (test.path, test.title)
        assert differences(test.expected, registry.by_python(test)) == [], (test.path, test.title)


def raw_transaction(data: str) -> str:
    """Return an unsigned transaction to the token, as tests have it."""
    chain = int(CHAIN).to_bytes(3, "big")
    return (
        "0x"
        + encode_rlp(
            [b"", b"\1", b"\1", bytes.fromhex(TOKEN[2:]), b"", bytes.fromhex(data), chain, b"", b""]
        ).hex()
    )


@pytest.fixture(scope="module")
def site(tmp_path_factory):
    """A site with a contract that has descriptors, and one that has none."""
    folder = tmp_path_factory.mktemp("page")
    deposit = {"intent": "Deposit", "fields": [field("@.value", "Paid", "amount")]}
    permit = {"intent": "Permit", "fields": [field("spender", "Spender"), field("value", "Sum")]}
    wrapped = {"intent": "Run", "fields": [field("data", "Call", "calldata", calleePath="to")]}
    shared = {"display": {"formats": {SEND_KEY: {**SEND, "intent": "Send a token"}}}}
    run = function("run", "address to", "bytes data")
    tests = {
        "descriptor": "../calldata-Token.json",
        "dataProvider": {
            "tokens": {TOKEN: {"symbol": "TKN", "decimals": 6}},
            "addressNames": {OTHER: "<b>Ada</b>"},
        },
        "tests": [{"description": "Ada gets 1.5", "rawTx": raw_transaction(TRANSFER), "expected": {}}],
    }
    own = descriptor(
        {SEND_KEY: {"intent": "Send"}, "deposit()": deposit, "run(address to,bytes data)": wrapped}
    )
    site = signed_site(
        folder,
        {
            TOKEN_FILE: own | {"includes": "common-token.json"},
            "registry/plinth/common-token.json": shared,
            "registry/plinth/testsv2/calldata-Token.tests.json": tests,
            "registry/plinth/eip712-Token.json": messages({PERMIT: permit}),
        },
        {TOKEN: signed_record([SEND_ABI, DEPOSIT, APPROVE, run], TOKEN), OTHER: signed_record([run], OTHER)},
    )
    assert {item.rule for item in site[""]} <= {"undated-page", "payable-shows-its-value"}
    return folder / "site"


def pasted_texts():
    """Return calls and messages that a reader may paste, of any kind."""
    message = {
        "primaryType": "Permit",
        "domain": {"chainId": int(CHAIN), "verifyingContract": TOKEN},
        "types": {
            "Permit": [
                {"name": "owner", "type": "address"},
                {"name": "spender", "type": "address"},
                {"name": "value", "type": "uint256"},
            ]
        },
        "message": {"owner": OTHER, "spender": TOKEN, "value": "7"},
    }
    arguments = f"{TOKEN[2:].lower():0>64}{64:064x}{68:064x}{TRANSFER}".ljust(12 * 32, "0")
    inner = parse_function_key("run(address to,bytes data)").selector + arguments
    return [
        {"text": TRANSFER},
        {"text": "0xd0e30db0", "value": "5"},
        {"text": json.dumps(message)},
        {"text": inner},
        {"text": "0xdeadbeef"},
        {"text": "<img src=x onerror=alert(1)>"},
        {"text": "{"},
    ]


PAGE, QUERY = f"contracts/{CHAIN}/{{}}.html", f"contract.html?chain={CHAIN}&address={{}}"


@pytest.fixture(scope="module")
def shown(site):
    """What the page of a contract shows, with calls pasted into its box; and the page of one without a descriptor."""
    pasted = pasted_texts()
    of_token = browse(site, "clear-signing", path=PAGE.format(TOKEN), pasted=pasted)
    of_other = browse(site, "clear-signing", path=PAGE.format(OTHER))
    later = browse(site, "clear-signing", path=QUERY.format(TOKEN), pasted=pasted, later=True)
    nothing = browse(site, "clear-signing", path=QUERY.format(OTHER), later=True)
    return of_token, of_other, later, nothing


@pytest.mark.parametrize("width", [390, 1280])
@pytest.mark.parametrize("path", [PAGE, QUERY], ids=["its page", "the page of any contract"])
def test_signing_page_is_accessible(site, path, width):
    """With every function open, and after a call within a call was shown and another one was not."""
    look = {"viewport": {"width": width, "height": 900}, "colorScheme": "light", "reducedMotion": "reduce"}
    for pasted in (pasted_texts()[3], pasted_texts()[-1]):
        found = browse(
            site,
            "clear-signing",
            path=path.format(TOKEN),
            pasted=[pasted],
            look=look,
            later=path == QUERY,
            barriers=True,
        )
        assert len(found["items"]) == 4
        assert found["broken"] == []
        assert found["overflow"] <= 0


def test_signing_page_shows_function_examples(shown):
    summaries = [item["summary"] for item in shown[0]["items"]]
    assert summaries[0].endswith("Send 1.5 TKN to <b>Ada</b>")
    assert summaries[1].endswith("Deposit")
    assert summaries[-1].startswith("EIP-712")
    assert "Example: Ada gets 1.5" in shown[0]["items"][0]["more"]
    assert "approve(address,uint256)" in " ".join(shown[0]["notes"])
    assert shown[0]["complaints"] == []


def test_pasted_calldata_is_rendered_as_text(shown):
    transfer, deposit, permit, call, unknown, markup, broken = shown[0]["answers"]
    assert transfer.split("\n")[0] == "Send 1.5 TKN to <b>Ada</b>"
    assert "Paid\n5" in deposit
    assert f"Spender\n{TOKEN}" in permit
    assert "Send 1.5 TKN to <b>Ada</b>" in call
    assert "no format for the selector 0xdeadbeef" in unknown
    assert "not hex" in markup
    assert broken.startswith("Cannot show this")


def test_contract_page_without_descriptor_hides_panel(shown):
    assert shown[1] == {"isShown": False, "complaints": []}


def test_contract_viewer_page_shows_descriptors(shown):
    assert shown[2] == shown[0]
    assert shown[3] == shown[1]


@pytest.mark.parametrize(
    "command", [["lint"], ["fmt", "--check", "--line-width=115"]], ids=lambda one: one[0]
)
def test_signing_scripts_pass_deno_checks(command):
    files = sorted(map(str, (*(SIGNING / "modules").glob("*.js"), SIGNING / "scripts" / "clear-signing.js")))
    done = subprocess.run(
        [deno(), *command, "--quiet", "--no-config", *files], capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stdout + done.stderr
