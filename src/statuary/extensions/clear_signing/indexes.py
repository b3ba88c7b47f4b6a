"""The indexes of descriptors, as the public registry has them."""

import json
from collections.abc import Iterable

from statuary.base.json_values import Json
from statuary.extensions.clear_signing.descriptors import DescribedContract, SigningFileKind
from statuary.extensions.clear_signing.verdicts import DescriptorVerdict

Published = tuple[DescriptorVerdict, DescribedContract]


def encode_calldata_index(published_descriptors: Iterable[Published]) -> bytes:
    """Make `index.calldata.json`, in which wallets find descriptors of calls.

    It maps a contract (a CAIP-10 id, such as `eip155:1:0x…`) to the path of its descriptor.

    Args:
        published_descriptors: each published descriptor with one of its contracts.
    """
    index: dict[str, Json] = {}
    for descriptor, deployment in published_descriptors:
        if descriptor.kind is SigningFileKind.CALLDATA:
            index[deployment.caip10_id] = descriptor.path
    return _encode_index(index)


def encode_messages_index(published_descriptors: Iterable[Published]) -> bytes:
    """Make `index.eip712.json`, in which wallets find descriptors of messages.

    It maps a contract (a CAIP-10 id, such as `eip155:1:0x…`) and the EIP-712 type of a message to the paths of
    descriptors.

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
