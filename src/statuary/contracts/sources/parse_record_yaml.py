"""Parse records in YAML, which few sites have."""

import re

from statuary.base.json_values import Json, NumberText
from statuary.base.limits import MAX_NUMBER_DIGITS
from statuary.contracts.model.record import Record
from statuary.contracts.sources.parse_record import ParsedContract, validate_record
from statuary.source.parse_yaml import PlainText, parse_yaml
from statuary.source.source_files import decode_utf8
from statuary.source.source_model import allows_string, item_type, model_members


def parse_record_yaml(raw: bytes, path: str) -> ParsedContract:
    """Parse a contract's record from YAML, and check its types.

    Members that must be strings stay strings. In the ABI, metadata and settings, which have no fixed format,
    an unquoted number, `true` or `false` becomes a JSON number or boolean.

    Args:
        raw: the content of the file.
        path: the path of the file, which errors name.

    Raises:
        UnreadableError: if the bytes are not YAML in UTF-8.
    """
    return validate_record(convert_yaml_types(parse_yaml(decode_utf8(raw), PlainText), Record), None, path)


JSON_NUMBER = re.compile(r"-?(?:0|[1-9][0-9]*)(?:\.[0-9]+)?(?:[eE][-+]?[0-9]+)?")


def convert_yaml_types(tree: Json, model: object) -> Json:
    """Convert unquoted YAML values to the types that a contract's record requires.

    For example, `8` becomes a number where the model expects one, and stays a string elsewhere.

    Args:
        tree: the parsed YAML, with all values as strings.
        model: the type of the value.
    """
    if isinstance(tree, PlainText):
        return str(tree) if allows_string(model) else parse_yaml_scalar(tree)
    if isinstance(tree, list):
        item = item_type(model, (list,))
        return [convert_yaml_types(value, item) for value in tree]
    if isinstance(tree, dict):
        members, item = model_members(model), item_type(model, (dict,))
        return {key: convert_yaml_types(value, members.get(key, item)) for key, value in tree.items()}
    return tree


def parse_yaml_scalar(text: str) -> Json:
    """Convert an unquoted YAML value to a number, boolean or string.

    Example: '8' -> 8, 'true' -> True, 'abc' -> 'abc'. A number keeps its spelling, such as `1.50`.
    """
    if text in ("true", "false"):
        return text == "true"
    if not JSON_NUMBER.fullmatch(text):
        return str(text)
    is_whole = str(text).lstrip("-").isdigit() and len(text) <= MAX_NUMBER_DIGITS and text != "-0"
    return int(text) if is_whole else NumberText(text)
