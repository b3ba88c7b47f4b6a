"""A compilation from solc's metadata, which names sources by their hash and may hold their text."""

from collections.abc import Mapping
from typing import Any

from statuary.importing.foundry import settings_of_metadata
from statuary.importing.import_error import ContractImportError
from statuary.importing.imported_compilation import ImportedCompilation, compiler_for_language


def compilation_of_metadata(
    metadata: dict[str, Any], texts: Mapping[str, str], where: str
) -> ImportedCompilation:
    """Return the compilation that metadata describes; it is not compiled yet.

    Args:
        metadata: solc's.
        texts: further sources by their Keccak-256.

    Raises:
        ContractImportError: if the text of a source is not there.
    """
    ((path, name),) = metadata["settings"]["compilationTarget"].items()
    version, language = metadata["compiler"]["version"], metadata["language"]
    sources = {}
    for source, described in metadata["sources"].items():
        text = texts.get(described["keccak256"], described.get("content"))
        if text is None:
            raise ContractImportError(
                f"{where} has no source with the Keccak-256 of {source}: {described['keccak256']}"
            )
        sources[source] = {"content": text}
    return ImportedCompilation(
        compiler=compiler_for_language(language),
        version=version,
        fully_qualified_name=f"{path}:{name}",
        std_json_input={
            "language": language,
            "sources": sources,
            "settings": settings_of_metadata(metadata["settings"], version),
        },
        std_json_output=None,
    )
