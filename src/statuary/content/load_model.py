"""One source file to its model, or to findings."""

from typing import TypeVar

from pydantic import ValidationError

from statuary.content.parse_json import parse_json_as_text
from statuary.content.parse_yaml import Tree, parse_yaml
from statuary.content.source_files import SourceFile
from statuary.content.source_model import SourceModel
from statuary.content.unreadable import UnreadableError
from statuary.content.validation_findings import validation_findings
from statuary.domain.findings import Finding

Model = TypeVar("Model", bound=SourceModel)


def load_model(file: SourceFile, model: type[Model], limit: int, findings: list[Finding]) -> Model | None:
    """Return a file as its model; None after adding what is wrong to `findings`."""
    try:
        tree = read_tree(file, limit)
    except UnreadableError as error:
        findings.append(error.finding(file.path))
        return None
    return validate_tree(tree, model, file.path, findings)


def validate_tree(tree: Tree, model: type[Model], path: str, findings: list[Finding]) -> Model | None:
    """Return a tree as its model; None after adding what is wrong to `findings`."""
    if not isinstance(tree, dict):
        keys = [field.alias or name for name, field in model.model_fields.items()]
        findings.append(
            Finding(
                rule="right-value",
                path=path,
                message="the file is empty" if tree is None else "the file is not a mapping of keys",
                hint=f"begin with one of: {', '.join(keys)}",
            )
        )
        return None
    try:
        return model.model_validate(tree)
    except ValidationError as error:
        findings.extend(finding.within(path) for finding in validation_findings(error, model, tree))
        return None


def read_tree(file: SourceFile, limit: int) -> Tree:
    """Return the value of a YAML or JSON file, scalars as text.

    Raises:
        UnreadableError: if it is neither, has more than `limit` bytes or cannot be read.
    """
    text = file.text(limit)
    return parse_json_as_text(text) if file.path.endswith(".json") else parse_yaml(text)
