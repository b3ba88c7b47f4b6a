"""The line of a YAML file that names its JSON Schema."""

from pathlib import Path, PurePosixPath

SCHEMA_FOLDER = ".schema"

KINDS = {
    "contracts": "contract",
    "incidents": "incident",
    "maintenances": "maintenance",
    "templates": "template",
}
"""The schemas of files in folders of the content; those at its top have their own names."""


def with_schema_line(root: Path, path: str, text: str) -> str:
    """Add a comment that names the JSON Schema to a new file.

    Editors use the comment, which is at the top, to check the file. If the content folder has no schemas, the
    text is unchanged.

    Args:
        root: the content folder.
        path: the path of the file in the content folder.
        text: the text of the file.
    """
    file = PurePosixPath(path)
    folders = file.parts[:-1]
    name = f"{KINDS.get(folders[0], '') if folders else file.stem}.json"
    if file.suffix != ".yaml" or not (root / SCHEMA_FOLDER / name).is_file():
        return text
    return f"# yaml-language-server: $schema={'../' * len(folders)}{SCHEMA_FOLDER}/{name}\n{text}"
