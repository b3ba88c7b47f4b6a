"""Random histories of a log: every prefix is consistent, every entry is in it, and a second program agrees."""

from random import Random

import pytest
from tlog_scales.backend import TilesBackend
from tlog_scales.reader import TilesReader
from tlog_scales.tlog import ConsistencyProof, InclusionProof

from statuary.extensions.log.merkle import (
    LogError,
    LogGrowth,
    hash_entry_range,
    hash_leaf,
    hash_node,
    iter_tile_paths,
    iter_verified_entries,
    make_consistency_proof,
    make_inclusion_proof,
    make_subtree_hasher,
    verify_consistency,
    verify_inclusion,
)
from statuary.extensions.log.notes import (
    PrivateKey,
    format_checkpoint_text,
    parse_checkpoint,
    verify_checkpoint,
)
from support.random_runs import times

HISTORIES = times(24)
"""How many; the issue's figure is 10,000."""

LONGEST = 2_000


class TilesInMemory(TilesBackend):
    """The pieces of a log as the second verifier reads them."""

    def __init__(self, pieces):
        self.pieces = pieces

    def get(self, *path):
        return self.pieces.get("/".join(path))

    def put(self, *args, **kwargs):
        raise NotImplementedError

    def flush(self):
        raise NotImplementedError


def grown(pieces, size, entries):
    """Append entries to a log of a size; return its root."""
    growth = LogGrowth(size, pieces.get)
    for entry in entries:
        pieces.update(growth.append_entry(entry))
    pieces.update(growth.iter_partial_files())
    return growth.root()


def plain_root(leaves):
    """Return MTH as RFC 6962 defines it, without tiles."""
    if len(leaves) == 1:
        return leaves[0]
    split = 1 << (len(leaves) - 1).bit_length() - 1
    return hash_node(plain_root(leaves[:split]), plain_root(leaves[split:]))


def prefix_roots(leaves):
    """Yield the root after each leaf, from the subtrees at the right edge; without tiles."""
    edge = []
    for size, leaf in enumerate(leaves, 1):
        edge.append(leaf)
        for _ in range((size & -size).bit_length() - 1):
            right = edge.pop()
            edge[-1] = hash_node(edge[-1], right)
        root = edge[-1]
        for left in edge[-2::-1]:
            root = hash_node(left, root)
        yield root


def check_history(random: Random) -> int:
    """Prove every prefix and every entry of a random log to both verifiers; return how many proofs that were.

    The second verifier also makes every 50th proof itself: it keeps no hashes of subtrees, so that one takes it a
    walk over the log.
    """
    size = (
        min(LONGEST, int(random.expovariate(1 / 250)) + 1)
        if random.random() < 0.9
        else random.randint(1, LONGEST)
    )
    entries = [random.randbytes(random.choice((0, 1, 40))) + str(number).encode() for number in range(size)]
    leaves = [hash_leaf(entry) for entry in entries]
    pieces, published, at = {}, {}, 0
    while at < size:
        step = min(size - at, random.choice((1, 1, 2, 7, 255, 256, 257, 700)))
        published[at + step] = grown(pieces, at, entries[at : at + step])
        at += step
    assert set(iter_tile_paths(size)) <= set(pieces)
    root, roots = published[size], dict(enumerate(prefix_roots(leaves), 1))
    assert root == plain_root(leaves) == hash_entry_range(0, size, make_subtree_hasher(pieces.get, size))
    assert published.items() <= roots.items()
    assert list(iter_verified_entries(pieces.get, size, root)) == entries
    subtrees = make_subtree_hasher(pieces.get, size)
    second = TilesReader(TilesInMemory(pieces))
    second.set_size(size)
    assert second.calculate_root_hash() == root
    seldom = random.randrange(50)
    for prefix, prefix_root in roots.items():
        proof = make_consistency_proof(prefix, size, subtrees)
        verify_consistency(prefix, size, proof, prefix_root, root)
        ConsistencyProof(prefix, size, proof).check(prefix_root, root)
        if prefix % 50 == seldom:
            assert proof == second.get_consistency_proof(prefix, size).node_hashes
    for index, leaf in enumerate(leaves):
        proof = make_inclusion_proof(index, size, subtrees)
        verify_inclusion(leaf, index, size, proof, root)
        InclusionProof(index, size, proof).check(leaf, root)
        if index % 50 == seldom:
            assert proof == second.get_inclusion_proof(index, size).node_hashes
    return 2 * size


@pytest.mark.slow
@pytest.mark.parametrize("part", range(4))
def test_random_log_histories_pass_all_proofs(part):
    proofs = sum(check_history(Random(f"{part}-{number}")) for number in range(HISTORIES // 4))
    print(f"{proofs:,} proofs of {HISTORIES // 4:,} histories")


def test_small_logs_prove_every_entry():
    entries = [str(number).encode() for number in range(70)]
    leaves = [hash_leaf(entry) for entry in entries]
    pieces = {}
    grown(pieces, 0, entries)
    for size in range(1, 71):
        root = plain_root(leaves[:size])
        subtrees = make_subtree_hasher(pieces.get, 70)
        for first in range(size + 1):
            old = plain_root(leaves[:first]) if first else bytes.fromhex(EMPTY)
            verify_consistency(first, size, make_consistency_proof(first, size, subtrees), old, root)
        for index in range(size):
            verify_inclusion(leaves[index], index, size, make_inclusion_proof(index, size, subtrees), root)


EMPTY = "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855"

FORGERIES = times(60)
"""How many forged histories; the issue's figure is 1,000."""


def forged(random, entries, size):
    """Return entries of another history than that of the first `size`, and how it was forged."""
    way = random.choice(("rewritten", "forked", "truncated", "reordered", "removed", "inserted"))
    new = [*entries, *(b"new %d" % number for number in range(random.randint(0, 40)))]
    at = random.randrange(size)
    if way == "rewritten":
        new[at] += b"!"
    elif way == "forked":
        new = [*entries[:at], *(b"fork %d" % number for number in range(len(entries)))]
    elif way == "truncated":
        new = entries[:at]
    elif way == "reordered":
        other = (at + 1) % size
        new[at], new[other] = new[other], new[at]
    elif way == "removed":
        del new[at]
    else:
        new.insert(at, b"inserted")
    return way, new


def accepted(pieces, checkpoint, seen, key):
    """Say whether a reader who has seen a checkpoint accepts a log, as `statuary log verify` decides it."""
    try:
        verify_checkpoint(checkpoint, key)
        list(iter_verified_entries(pieces.get, checkpoint.size, checkpoint.root))
        subtrees = make_subtree_hasher(pieces.get, checkpoint.size)
        proof = make_consistency_proof(seen.size, checkpoint.size, subtrees)
        verify_consistency(seen.size, checkpoint.size, proof, seen.root, checkpoint.root)
    except LogError:
        return False
    return True


def signed(key, size, root):
    text = format_checkpoint_text(key.name, size, root)
    return parse_checkpoint(f"{text}\n{key.sign(text)}".encode())


def test_forged_log_histories_are_rejected():
    key = PrivateKey("status.example/log", bytes(range(32)))
    outcomes = {}
    for number in range(FORGERIES):
        random = Random(f"forged {number}")
        entries = [b"%d" % index for index in range(random.choice((1, 2, 3, 40, 255, 256, 257, 600)))]
        pieces, size = {}, len(entries)
        seen = signed(key, size, grown(pieces, 0, entries))
        assert accepted(pieces, seen, seen, key.public)
        way, other = forged(random, entries, size)
        if other[:size] == entries:
            other[0] += b"?"
        forged_pieces = {}
        root = grown(forged_pieces, 0, other)
        outcomes.setdefault(way, []).append(
            accepted(forged_pieces, signed(key, len(other), root), seen, key.public)
        )
        # the same with the tiles of the true log, and with its checkpoint over the forged tiles
        outcomes[way].append(accepted(pieces, signed(key, len(other), root), seen, key.public))
        outcomes[way].append(accepted(forged_pieces, seen, seen, key.public))
    assert len(outcomes) == 6
    assert {way: sum(found) for way, found in outcomes.items()} == dict.fromkeys(outcomes, 0)
