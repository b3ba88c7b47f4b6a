"""One source file to a value of its model, or to findings."""

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
    """Return what a file says, or None after adding to `findings` why it says nothing."""
    try:
        tree = read_tree(file, limit)
    except UnreadableError as unreadable:
        findings.append(unreadable_finding(unreadable, file.path))
        return None
    return validate_model(tree, model, file.path, findings)


def validate_model(tree: Tree, model: type[Model], path: str, findings: list[Finding]) -> Model | None:
    """Return a tree as its model, or None after adding to `findings` what the model refuses."""
    if not isinstance(tree, dict):
        findings.append(
            Finding(
                rule="right-value",
                path=path,
                message="the file is empty" if tree is None else "the file holds no mapping of keys",
                hint=f"begin with one of: {', '.join(key_names(model))}",
            )
        )
        return None
    try:
        return model.model_validate(tree)
    except ValidationError as error:
        findings.extend(finding.within(path) for finding in validation_findings(error, model, tree))
        return None


def key_names(model: type[SourceModel]) -> list[str]:
    """Return a model's keys as people write them."""
    return [field.alias or name for name, field in model.model_fields.items()]


def read_tree(file: SourceFile, limit: int) -> Tree:
    """Return the value of a YAML or JSON file, scalars as text.

    Raises:
        Unreadable: if it is not what its name says.
    """
    text = file.text(limit)
    return parse_json_as_text(text) if file.path.endswith(".json") else parse_yaml(text)


def unreadable_finding(unreadable: UnreadableError, path: str) -> Finding:
    """Return the finding for a text that could not be read."""
    return Finding(
        rule=unreadable.rule,
        path=path,
        message=str(unreadable),
        hint=unreadable.hint,
        position=unreadable.position,
    )
