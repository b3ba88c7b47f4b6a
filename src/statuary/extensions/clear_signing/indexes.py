"""The indexes of descriptors, as the public registry has them."""

import json
from collections.abc import Iterable

from statuary.base.json_values import Json
from statuary.extensions.clear_signing.descriptors import BoundContract, SigningFileKind
from statuary.extensions.clear_signing.verdicts import DescriptorVerdict

Published = tuple[DescriptorVerdict, BoundContract]


def calldata_index(published_descriptors: Iterable[Published]) -> bytes:
    """Return the bytes of `index.calldata.json`, by which wallets find descriptors.

    The file maps each contract (a CAIP-10 id) to the path of the descriptor for its calls.

    Args:
        published_descriptors: each published descriptor with a contract to which it applies.
    """
    index: dict[str, Json] = {}
    for descriptor, deployment in published_descriptors:
        if descriptor.kind is SigningFileKind.CALLDATA:
            index[deployment.caip] = descriptor.path
    return _encode_index(index)


def messages_index(published_descriptors: Iterable[Published]) -> bytes:
    """Return the bytes of `index.eip712.json`, by which wallets find descriptors.

    The file lists the descriptors for messages by contract (a CAIP-10 id) and EIP-712 type.

    Args:
        published_descriptors: each published descriptor with a contract to which it applies.
    """
    index: dict[str, dict[str, list[Json]]] = {}
    for descriptor, deployment in published_descriptors:
        for primary, hashes in descriptor.type_hashes.items():
            entries = index.setdefault(deployment.caip, {}).setdefault(primary, [])
            entries.append({"path": descriptor.path, "encodeTypeHashes": list(hashes)})
    return _encode_index({caip: dict(sorted(by_type.items())) for caip, by_type in index.items()})


def _encode_index(index: dict[str, Json]) -> bytes:
    return (json.dumps(dict(sorted(index.items())), indent=2, ensure_ascii=False) + "\n").encode()
