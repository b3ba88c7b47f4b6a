"""No forged anchor shows a claim: those of the demo network taken apart and put together wrongly, and blocks made up.

STATUARY_FORGERIES is how many are made (default 300).
"""

import pytest
from eth_keys import keys

from statuary.base.primitives import keccak256
from statuary.contracts.chain.anchor import Anchor, AnchoredBlock, DeploymentEvidence
from statuary.contracts.chain.merkle_trie import decode_rlp_list, encode_rlp, rlp_number_bytes
from statuary.contracts.chain.transaction import LAYOUTS, address_from_public_key, compute_create_address
from statuary.contracts.chain.trie_proofs import make_trie_proof
from statuary.contracts.checks.anchor_claims import decide_chain_claims
from statuary.contracts.checks.record_view import RecordView
from statuary.contracts.model.proof import ClaimStatus
from statuary.contracts.site_contracts import SiteContracts
from statuary.contracts.sources.read_contract import read_contract
from statuary.engine.read_content import read_content
from statuary.extensions.compilers.evidence import record_sha256
from support.random_runs import seeded, times
from support.requirements import CHECKOUT

COUNT = times(300)
CONTENT = CHECKOUT / "content"
PLINTH = "748463"
SHOWN = ClaimStatus.STATED  # by the anchor: no checkpoint names the blocks
KEY = keys.PrivateKey(b"\x07" * 32)
FORGER = address_from_public_key(KEY.public_key.to_bytes())
CODE = bytes.fromhex("6001600c60003960016000f300")


@pytest.fixture(scope="module")
def demo():
    """Return records of the demo network with their anchors and digests."""
    found = []
    for source in read_content(CONTENT).site.content_of(SiteContracts).sources:
        if source.chain_id != PLINTH:
            continue
        read = read_contract(CONTENT, source)
        found.append((read.record, read.anchor, record_sha256(read.record)))
    return found


def status(record, anchor, digest):
    return [claim.status for claim in decide_chain_claims(RecordView(record), anchor, digest).claims]


def test_demo_network_proofs_verify_claims(demo):
    """All 23 have their code shown; all that a transaction created directly have their deployment shown."""
    found = [status(*one) for one in demo]
    assert len(found) == 23
    assert [on_chain for on_chain, _ in found] == [SHOWN] * 23
    assert [deployed for _, deployed in found].count(SHOWN) == 19
    creators = {
        record["compilation"]["name"]: set(
            decide_chain_claims(RecordView(record), anchor, digest).claims[1].evidence
        )
        for record, anchor, digest in demo
    }
    assert "salt" in creators["Lens"]
    assert "creatorNonce" in creators["Pedestal"]
    assert "creatorNonce" in creators["EditionClone"]
    assert not creators["NetworkCharter"]


def test_demo_blocks_match_checkpoints(demo):
    chains = read_content(CONTENT).site.content_of(SiteContracts).chains
    [chain] = [chain for chain in chains if chain.chain_id == PLINTH]
    for record, anchor, digest in demo:
        found = decide_chain_claims(RecordView(record), anchor, digest, dict(chain.checkpoints))
        on_chain, deployed = found.claims
        assert on_chain.status is ClaimStatus.VERIFIED
        assert deployed.status in (ClaimStatus.VERIFIED, ClaimStatus.NOT_SHOWN)
        pinned = {member for member in found.pinned if member.startswith("deployment.")}
        assert bool(pinned) is (deployed.status is ClaimStatus.VERIFIED)


def swapped(nodes, other, rng):
    at, its = rng.randrange(len(nodes)), rng.choice(other)
    return (*nodes[:at], its, *nodes[at + 1 :])


def flipped(nodes, rng):
    at = rng.randrange(len(nodes))
    digits = [i for i in range(2, len(nodes[at])) if nodes[at][i] in "0123456789abcdef"]
    place = rng.choice(digits)
    digit = f"{(int(nodes[at][place], 16) + rng.randrange(1, 16)) % 16:x}"
    return (*nodes[:at], nodes[at][:place] + digit + nodes[at][place + 1 :], *nodes[at + 1 :])


def forged_account(rng, mine, other):
    """Yield a forged anchor of claim D."""
    _, anchor, _ = mine
    _, its, _ = other
    header = its.deployment.block if its.deployment else its.block
    yield anchor._replace(block=header)
    yield anchor._replace(block=anchor.block._replace(header=header.header))
    yield anchor._replace(block=anchor.block._replace(number=anchor.block.number + 1))
    yield anchor._replace(account=its.account)
    yield anchor._replace(account=swapped(anchor.account, its.account, rng))
    yield anchor._replace(account=flipped(anchor.account, rng))
    yield anchor._replace(account=anchor.account[:-1])
    yield anchor._replace(account=(*anchor.account, rng.choice(its.account)))


def forged_deployment(rng, mine, other):
    """Yield a forged anchor of claim E."""
    _, anchor, _ = mine
    _, its, _ = other
    deployment, theirs = anchor.deployment, its.deployment
    if deployment is None or theirs is None:
        return
    for changed in (
        deployment._replace(block=theirs.block),
        deployment._replace(block=deployment.block._replace(header=theirs.block.header)),
        deployment._replace(receipt=theirs.receipt),
        deployment._replace(receipt=flipped(deployment.receipt, rng)),
        deployment._replace(transaction=theirs.transaction),
        deployment._replace(transaction=flipped(deployment.transaction, rng)),
        deployment._replace(transaction=swapped(deployment.transaction, theirs.transaction, rng)),
        theirs,
    ):
        yield anchor._replace(deployment=changed)


def test_recombined_merkle_proofs_prove_nothing(demo):
    rng, tried, accepted = seeded(19), 0, []
    while tried < COUNT:
        mine, other = rng.sample(demo, 2)
        record, anchor, digest = mine
        for claim, forge in ((0, forged_account), (1, forged_deployment)):
            for forged in forge(rng, mine, other):
                if forged == anchor:
                    continue
                tried += 1
                if status(record, forged, digest)[claim] is SHOWN:
                    accepted.append((claim, forged))
    assert accepted == []


def test_other_contracts_storage_proof_proves_nothing(demo):
    [proxy] = [one for one in demo if one[0]["compilation"]["name"] == "CatalogueProxy"]
    record, anchor, digest = proxy
    shown = decide_chain_claims(RecordView(record), anchor, digest)
    [named] = record["proxyResolution"]["implementations"]
    assert shown.claims[0].evidence["implementation"] == named["address"]
    assert "proxyResolution" not in shown.pinned  # a word in a slot, not the code that a call runs
    rng = seeded(19)
    slots = list(anchor.storage)
    for _ in range(max(30, COUNT // 10)):
        slot, other = rng.sample(slots, 2)
        for nodes in (anchor.storage[other], flipped(anchor.storage[slot], rng), anchor.account):
            if nodes == anchor.storage[slot]:
                continue
            forged = anchor._replace(storage={**anchor.storage, slot: nodes})
            found = decide_chain_claims(RecordView(record), forged, digest)
            assert "implementation" not in found.claims[0].evidence
            assert found.claims[0].status is not SHOWN


def signed(kind, chain_id, nonce, data, *, protected=True, to=b""):
    """Return a transaction of a type, signed by the forger."""
    number = rlp_number_bytes
    fees = [number(1), number(7), number(100_000), to, b"", data]
    lists = {1: [[]], 2: [[]], 3: [[], number(1), [b"\1" + bytes(31)]], 4: [[], []]}
    if kind == 0:
        fields = [number(nonce), *fees[1:]]
        unsigned = [*fields, number(chain_id), b"", b""] if protected else fields
        prefix = b""
    else:
        priced = fees[1:] if kind == 1 else fees
        fields = unsigned = [number(chain_id), number(nonce), *priced, *lists[kind]]
        prefix = bytes([kind])
    signature = KEY.sign_msg_hash(keccak256(prefix + encode_rlp(unsigned)))
    legacy_v = signature.v + (35 + 2 * chain_id if protected else 27)
    v = number(legacy_v if kind == 0 else signature.v)
    return prefix + encode_rlp([*fields, v, number(signature.r), number(signature.s)])


def receipt(kind, success=b"\1"):
    payload = encode_rlp([success, rlp_number_bytes(50_000), bytes(256), []])
    return (bytes([kind]) if kind else b"") + payload


def made_up(raw, its_receipt, *, chain_id="5", **deployment):
    """Return the record of a contract, and its anchor under a block that holds one transaction."""
    key = b"\x80"
    root, nodes = make_trie_proof([(key, raw)], key)
    receipts_root, receipt_nodes = make_trie_proof([(key, its_receipt)], key)
    empty = bytes(32)
    header = [
        empty,
        empty,
        bytes(20),
        empty,
        root,
        receipts_root,
        bytes(256),
        b"",
        b"\x09",
        b"",
        b"",
        b"\x05",
        b"",
        empty,
        bytes(8),
    ]
    block = encode_rlp(header)
    anchored = AnchoredBlock(9, f"0x{keccak256(block).hex()}", f"0x{block.hex()}")
    record = {
        "chainId": chain_id,
        "address": compute_create_address(FORGER, 3),
        "creationBytecode": {"onchainBytecode": f"0x{CODE.hex()}"},
        "deployment": {
            "transactionHash": f"0x{keccak256(raw).hex()}",
            "blockNumber": "9",
            "transactionIndex": "0",
            "deployer": FORGER,
            **deployment,
        },
    }
    evidence = DeploymentEvidence(
        anchored,
        tuple(f"0x{node.hex()}" for node in nodes),
        tuple(f"0x{node.hex()}" for node in receipt_nodes),
    )
    return record, Anchor("", deployment=evidence), ""


CREATING = (0, 1, 2)  # types 3 and 4 cannot create contracts


@pytest.mark.parametrize("kind", CREATING)
def test_generated_block_proves_deployment(kind):
    assert status(*made_up(signed(kind, 5, 3, CODE), receipt(kind)))[1] is SHOWN
    assert status(*made_up(signed(0, 5, 3, CODE, protected=False), receipt(0)))[1] is SHOWN


def reenveloped(raw, kind, other):
    """Return a transaction's members under another type, cut or filled up to what that has."""
    items = decode_rlp_list(raw[1:] if kind else raw)
    members = LAYOUTS[other].members
    body, signature = items[:-3], items[-3:]
    body = (body + [[]] * members)[: members - 3]
    return (bytes([other]) if other else b"") + encode_rlp([*body, *signature])


def made_up_forgeries(rng):
    """Yield records and anchors of blocks that are made up, each wrong in one way."""
    kind, other = rng.choice(CREATING), rng.randrange(5)
    nonce, chain = rng.randrange(1000), rng.randrange(1, 1 << 32)
    raw = signed(kind, 5, 3, CODE)
    if chain != 5:
        yield made_up(signed(kind, chain, 3, CODE), receipt(kind))
    if nonce != 3:
        yield made_up(signed(kind, 5, nonce, CODE), receipt(kind))
    if other != kind:
        yield made_up(raw, receipt(other))
        yield made_up(reenveloped(raw, kind, other), receipt(other))
    yield made_up(raw, receipt(kind, b""))
    yield made_up(signed(kind, 5, 3, CODE + rng.randbytes(1)), receipt(kind))
    yield made_up(signed(kind, 5, 3, CODE, to=rng.randbytes(20)), receipt(kind))
    yield made_up(signed(rng.choice((3, 4)), 5, 3, CODE), receipt(3))
    yield made_up(raw, receipt(kind), deployer=compute_create_address(FORGER, nonce))
    yield made_up(raw, receipt(kind), blockNumber=str(10 + nonce))
    yield made_up(raw, receipt(kind), transactionIndex=str(1 + nonce))
    yield made_up(raw, receipt(kind), transactionHash=f"0x{rng.randbytes(32).hex()}")
    yield made_up(raw, receipt(kind), chain_id=str(6 + nonce))


def test_random_merkle_proofs_prove_nothing():
    rng, tried, accepted = seeded(19), 0, []
    while tried < COUNT // 3:
        for forged in made_up_forgeries(rng):
            tried += 1
            if status(*forged)[1] is SHOWN:
                accepted.append(forged)
    assert accepted == []
