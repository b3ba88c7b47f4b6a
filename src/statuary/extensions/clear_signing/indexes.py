"""The indexes of descriptors, as the public registry has them."""

import json
from collections.abc import Iterable

from statuary.base.json_values import Json
from statuary.extensions.clear_signing.descriptors import BoundContract, SigningFileKind
from statuary.extensions.clear_signing.verdicts import DescriptorVerdict

Published = tuple[DescriptorVerdict, BoundContract]


def encode_calldata_index(published_descriptors: Iterable[Published]) -> bytes:
    """Return the content of `index.calldata.json`.

    A wallet reads this file to find the descriptor of a contract's calls. It maps the contract (a CAIP-10 id,
    such as `eip155:1:0x…`) to the path of the descriptor.

    Args:
        published_descriptors: each published descriptor with one of its contracts.
    """
    index: dict[str, Json] = {}
    for descriptor, deployment in published_descriptors:
        if descriptor.kind is SigningFileKind.CALLDATA:
            index[deployment.caip10_id] = descriptor.path
    return _encode_index(index)


def encode_messages_index(published_descriptors: Iterable[Published]) -> bytes:
    """Return the content of `index.eip712.json`.

    A wallet reads this file to find the descriptors for a message. It maps the contract (a CAIP-10 id, such
    as `eip155:1:0x…`) and the EIP-712 type of the message to the paths of descriptors.

    Args:
        published_descriptors: each published descriptor with one of its contracts.
    """
    index: dict[str, dict[str, list[Json]]] = {}
    for descriptor, deployment in published_descriptors:
        for primary, hashes in descriptor.type_hashes.items():
            entries = index.setdefault(deployment.caip10_id, {}).setdefault(primary, [])
            entries.append({"path": descriptor.path, "encodeTypeHashes": list(hashes)})
    return _encode_index({caip: dict(sorted(by_type.items())) for caip, by_type in index.items()})


def _encode_index(index: dict[str, Json]) -> bytes:
    return (json.dumps(dict(sorted(index.items())), indent=2, ensure_ascii=False) + "\n").encode()
