"""The packs in openapi.json, and on the API page."""

from typing import Final

from statuary.documents.openapi.operations import DescribedApi, Operation
from statuary.domain.contracts.rows import ContractRow
from statuary.extensions.packs.settings import PacksSettings
from statuary.extensions.packs.urls import PACK, PACK_LIST

TAG: Final = "packs"

DIGEST: Final = {
    "name": "digest",
    "in": "path",
    "required": True,
    "description": "The SHA-256 of the pack, which the list names.",
    "schema": {"type": "string", "pattern": "^[0-9a-f]{64}$"},
}


def described_apis(settings: PacksSettings, example: ContractRow | None) -> tuple[DescribedApi, ...]:
    """Return the list and the packs; neither `settings` nor `example` is used."""
    del settings, example
    return (
        DescribedApi(
            TAG,
            "Records and proofs in a few large files, each looked up with two requests for ranges of bytes.",
            (
                Operation(PACK_LIST, tag=TAG, example=PACK_LIST.path()),
                Operation(PACK, tag=TAG, more={"parameters": [DIGEST]}),
            ),
        ),
    )
