"""OpenAPI operations of packs."""

from typing import Final

from statuary.contracts.model.contract_row import ContractRow
from statuary.extensions.packs.pack_list import LIST_VERSION
from statuary.extensions.packs.settings import PacksSettings
from statuary.extensions.packs.urls import PACK, PACK_LIST
from statuary.site.operations import ApiDescription, Operation

TAG: Final = "packs"

HEX_DIGEST: Final = {"type": "string", "pattern": "^[0-9a-f]{64}$"}

DIGEST: Final = {
    "name": "digest",
    "in": "path",
    "required": True,
    "description": "The SHA-256 of the pack, which the list names.",
    "schema": HEX_DIGEST,
}


WHOLE_NUMBER: Final = {"type": "integer", "minimum": 0}
KEY: Final = {"type": "string", "description": "A path, its address in lower case."}

LISTED_PACK: Final = {
    "path": {"type": "string", "description": "Beside the list.", "pattern": "^data/[0-9a-f]{64}\\.pack$"},
    "run": {
        **WHOLE_NUMBER,
        "description": "The run that it is part of. The newest that names a document decides.",
    },
    "size": {**WHOLE_NUMBER, "description": "Its bytes."},
    "sha256": HEX_DIGEST,
    "end": {
        "type": "array",
        "prefixItems": [WHOLE_NUMBER, HEX_DIGEST],
        "minItems": 2,
        "maxItems": 2,
        "description": "Where its end begins, which has its head and its dictionary, and the SHA-256 of that.",
    },
    "documents": {**WHOLE_NUMBER, "description": "How many documents it names."},
    "removals": {**WHOLE_NUMBER, "description": "How many of them it says are removed."},
    "plain": {**WHOLE_NUMBER, "description": "The bytes of the documents before compression."},
    "first": KEY,
    "last": KEY,
}
LIST_SCHEMA: Final = {
    "type": "object",
    "required": ["version", "packs"],
    "properties": {
        "version": {"const": LIST_VERSION},
        "packs": {
            "type": "array",
            "items": {"type": "object", "required": [*LISTED_PACK], "properties": LISTED_PACK},
        },
    },
}
LIST_ANSWER: Final = {
    "responses": {
        "200": {
            "description": "The packs, by run and key.",
            "content": {"application/json": {"schema": LIST_SCHEMA}},
        }
    }
}


def describe_operations(settings: PacksSettings, example: ContractRow | None) -> tuple[ApiDescription, ...]:
    """Describe the list of packs and the packs for `openapi.json`.

    Both arguments are ignored, because these files have the same form at every site.
    """
    del settings, example
    return (
        ApiDescription(
            TAG,
            "Records and proofs in a few large files, each looked up with two requests for ranges of bytes.",
            (
                Operation(PACK_LIST, tag=TAG, example=PACK_LIST.path(), extra_members=LIST_ANSWER),
                Operation(PACK, tag=TAG, extra_members={"parameters": [DIGEST]}),
            ),
        ),
    )
