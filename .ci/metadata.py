"""Hatchling's hook for what the package index shows: the addresses of the project, and README with absolute links.

Both follow from one setting, the address of the repository, under `tool.hatch.metadata.hooks.custom` in pyproject.toml. Without it,
the package has no addresses, and README's links stay relative.
"""

import re
from pathlib import Path

from hatchling.metadata.plugin.interface import MetadataHookInterface

RELATIVE_LINK = re.compile(r"(!?\[[^\]]*\]\()(?!https?://|#)([^)]+)(\))")
"""A link or picture of Markdown whose target is a file of the repository."""

RELATIVE_PICTURE = re.compile(r'(\bsrc(?:set)?=")(?!https?://)([^"]+)(")')
"""The file of a picture in HTML."""


def absolute_links(text: str, repository: str, version: str) -> str:
    """Return a text whose links lead to the files of a version in the repository; as it is without a repository."""
    if not repository:
        return text

    def absolute(match: re.Match[str]) -> str:
        kind = "raw" if match[1].startswith("!") else "blob"
        return f"{match[1]}{repository}/{kind}/v{version}/{match[2]}{match[3]}"

    text = RELATIVE_PICTURE.sub(rf"\g<1>{repository}/raw/v{version}/\g<2>\g<3>", text)
    return RELATIVE_LINK.sub(absolute, text)


def addresses(repository: str, version: str) -> dict[str, str]:
    """Return the addresses of the project; none without a repository."""
    if not repository:
        return {}
    return {
        "Source": repository,
        "Issues": f"{repository}/issues",
        "Changelog": f"{repository}/blob/v{version}/CHANGELOG.md",
        "Documentation": f"{repository}/blob/v{version}/content/pages/manual/index.md",
    }


class RepositoryHook(MetadataHookInterface):
    """Fills in `readme` and `urls`."""

    def update(self, metadata: dict[str, object]) -> None:
        """Add the two to the metadata of the project."""
        repository, version = str(self.config.get("repository", "")).rstrip("/"), str(metadata["version"])
        text = Path(self.root, "README.md").read_text("utf-8")
        metadata["readme"] = {
            "content-type": "text/markdown",
            "text": absolute_links(text, repository, version),
        }
        if repository:
            metadata["urls"] = addresses(repository, version)
