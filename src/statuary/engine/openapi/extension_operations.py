"""The interfaces that extensions add to openapi.json."""

from statuary.engine.catalogue import Catalogue
from statuary.publish.ledger.contract_rows import ContractRow
from statuary.registry import EXTENSIONS, load
from statuary.site.operations import ApiDescription


def extension_apis(catalogue: Catalogue, example: ContractRow | None) -> list[ApiDescription]:
    """Return the interfaces of the extensions that are on."""
    settings = dict(catalogue.extensions)
    rows = (row for row in EXTENSIONS if row.apis and row.key in settings)
    return [api for row in rows for api in load(row.apis)(settings[row.key], example)]
