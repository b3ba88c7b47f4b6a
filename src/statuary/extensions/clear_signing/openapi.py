"""Clear signing in openapi.json, and on the API page."""

from typing import Final

from statuary.contracts.model.contract_row import ContractRow
from statuary.extensions.clear_signing import urls
from statuary.extensions.clear_signing.settings import ClearSigningSettings
from statuary.site.operations import ApiDescription, Operation

TAG: Final = "clear signing"

PATH: Final[dict[str, object]] = {
    "name": "path",
    "in": "path",
    "required": True,
    "description": "The path of a descriptor as the indexes name it, below this folder, its slashes as they are.",
    "schema": {"type": "string", "pattern": "^.+\\.json$"},
}


def openapi_operations(
    settings: ClearSigningSettings, example: ContractRow | None
) -> tuple[ApiDescription, ...]:
    """Describe the clear-signing documents for `openapi.json`.

    The description is the same for every site, so both arguments are ignored.
    """
    del settings, example
    index_urls = (urls.CALLDATA_INDEX, urls.MESSAGES_INDEX, urls.SIGNING)
    of_files = (urls.SIGNING_EXAMPLES, urls.SIGNING_DESCRIPTOR, urls.SIGNING_SHARED)
    return (
        ApiDescription(
            TAG,
            "ERC-7730 descriptors as readers of the public registry fetch them, each with the proof that it fits the "
            "verified contract. A site without descriptors has none of these documents.",
            (
                *(Operation(url, tag=TAG, may_be_missing=True, example=url.path()) for url in index_urls),
                Operation(urls.SIGNING_PROOF, tag=TAG, may_be_missing=True),
                *(
                    Operation(url, tag=TAG, may_be_missing=True, extra_members={"parameters": [PATH]})
                    for url in of_files
                ),
            ),
        ),
    )
