"""The keys of source files as plain values: what each holds, its default, and an example from real content."""

from collections.abc import Iterator, Mapping
from functools import cache
from typing import Any, NamedTuple

from statuary.engine.json_schemas import SCHEMA_MODELS, json_schema
from statuary.source.parse_yaml import parse_yaml
from support.key_examples import BY_FORMAT, DESCRIPTIONS, EXAMPLES
from support.requirements import CHECKOUT

ROOTS = (CHECKOUT / "content", CHECKOUT / "tests/golden/world")
"""Content whose values are examples."""

GLOBS = {
    "site": "site.yaml",
    "components": "components.yaml",
    "incident": "incidents/*.yaml",
    "maintenance": "maintenances/*.yaml",
    "template": "templates/*.yaml",
    "contract": "contracts/*/*/contract.yaml",
}

TYPES = {
    "string": "Text",
    "integer": "Whole number",
    "number": "Number",
    "boolean": "`true` or `false`",
    "date": "Date",
    "date-time": "Date and time",
    "duration": "Duration",
    "object": "Mapping",
    "array": "List",
}

LONGEST_EXAMPLE = 90


class Key(NamedTuple):
    """A key."""

    path: str
    type: str
    required: bool
    default: str  # a sentence; empty for none
    see: str  # links to the keys below, if it is a mapping or has mappings; empty for none
    meaning: str
    example: str  # a line of YAML; empty for none


class KeySection(NamedTuple):
    """The keys of one mapping."""

    title: str  # where it stands; empty for the file itself
    description: str
    keys: tuple[Key, ...]


class SourceFileKeys(NamedTuple):
    """The keys of a source file."""

    name: str
    pattern: str
    description: str
    sections: tuple[KeySection, ...]


def source_file_keys(name: str) -> SourceFileKeys:
    """Return the keys of a kind of source file."""
    schema = json_schema(name)
    assert isinstance(schema, dict)
    definitions = schema.get("$defs", {})
    places = {"": ""} | dict(_places(schema, definitions))
    examples = dict(_examples(name))
    sections = tuple(
        KeySection(
            title=path,
            description=_one_line(part.get("description", "")),
            keys=tuple(
                _key(
                    f"{path}.{key}".removeprefix("."),
                    value,
                    places,
                    examples,
                    required=key in part.get("required", ()),
                )
                for key, value in part["properties"].items()
            ),
        )
        for definition, path in places.items()
        for part in [definitions[definition] if definition else schema]
        if "properties" in part
    )
    pattern = str(schema["title"])
    return SourceFileKeys(name, pattern, DESCRIPTIONS[name], sections)


def _places(schema: Any, definitions: Mapping[str, Any]) -> Iterator[tuple[str, str]]:
    """Yield each definition with the place at which it stands first, the nearest ones first."""
    seen, queue = set[str](), [("", schema)]
    while queue:
        path, part = queue.pop(0)
        for key, value in part.get("properties", {}).items():
            for name, suffix in _references(value):
                if name not in seen and "properties" in definitions[name]:
                    seen.add(name)
                    place = f"{path}.{key}{suffix}".removeprefix(".")
                    yield name, place
                    queue.append((place, definitions[name]))


def _references(value: Any, suffix: str = "") -> Iterator[tuple[str, str]]:
    if "$ref" in value:
        yield value["$ref"].rpartition("/")[2], suffix
    for choice in (*value.get("anyOf", ()), *value.get("oneOf", ()), *value.get("allOf", ())):
        yield from _references(choice, suffix)
    if isinstance(value.get("items"), dict):
        yield from _references(value["items"], f"{suffix}[]")
    for child in _children_by_key(value):
        yield from _references(child, f"{suffix}.KEY")


def _children_by_key(value: Any) -> Iterator[Any]:
    """Yield the schemas of a mapping's values, if authors choose its keys."""
    if isinstance(value.get("additionalProperties"), dict):
        yield value["additionalProperties"]
    yield from value.get("patternProperties", {}).values()


def _key(
    full: str, value: Any, places: Mapping[str, str], examples: Mapping[str, str], *, required: bool
) -> Key:
    key = full.rpartition(".")[2]
    below = {f"{full}{suffix}": places[name] for name, suffix in _references(value) if name in places}
    links = " and ".join(f"[`{path}`](#{_anchor(place)})" for path, place in below.items())
    default = value.get("default")
    shown = "true" if default is True else "false" if default is False else str(default)
    return Key(
        path=full,
        type=_type(value),
        required=required,
        default=f"Default: `{shown}`." if default not in (None, [], {}, "") else "",
        see=links,
        meaning=_one_line(value.get("description", "")),
        example=""
        if links
        else examples.get(full) or EXAMPLES.get(full) or EXAMPLES.get(key) or _plain_example(key, value),
    )


def _plain_example(key: str, value: Any) -> str:
    """Return an example that follows from the type of a key."""
    choices = [value, *value.get("anyOf", ()), *value.get("oneOf", ())]
    for choice in choices:
        if choice.get("type") == "boolean":
            return f"{key}: {'false' if value.get('default') is True else 'true'}"
        names = choice.get("enum") or _enum(choice.get("$ref", "").rpartition("/")[2])
        if names:
            return f"{key}: {names[-1]}"
        plain = BY_FORMAT.get(choice.get("format") or choice.get("type") or "")
        if plain:
            return f"{key}: {value.get('default') or plain}"
    return ""


def _anchor(place: str) -> str:
    return "-".join(
        part for part in "".join(c if c.isalnum() or c == "_" else " " for c in place.lower()).split()
    )


def _type(value: Any) -> str:
    """Return what a key holds in plain words."""
    choices = [
        choice
        for choice in (*value.get("anyOf", ()), *value.get("oneOf", ()), *value.get("allOf", ()))
        if choice.get("type") != "null"
    ]
    if choices:
        kinds = dict.fromkeys(map(_type, choices))
        joined = " or ".join((next(iter(kinds)), *(kind[:1].lower() + kind[1:] for kind in list(kinds)[1:])))
        return joined.replace("Text or mapping of keys to texts", "Text, or a text for each language")
    if value.get("enum"):
        return "One of " + ", ".join(f"`{choice}`" for choice in value["enum"])
    if "$ref" in value:
        definition = value["$ref"].rpartition("/")[2]
        values = _enum(definition)
        return "One of " + ", ".join(f"`{choice}`" for choice in values) if values else "Mapping"
    if isinstance(value.get("items"), dict):
        inner = _type(value["items"])
        return f"List of {_plural(inner).replace('one of', 'any of')}"
    for child in _children_by_key(value):
        return f"Mapping of keys to {_plural(_type(child))}".replace(
            "Mapping of keys to one", "For each key, one"
        )
    return TYPES.get(value.get("format") or value.get("type") or "", "Any value")


def _plural(kind: str) -> str:
    plurals = {
        "Text": "texts",
        "Mapping": "mappings",
        "Whole number": "whole numbers",
        "Date and time": "dates and times",
    }
    return plurals.get(kind, kind[:1].lower() + kind[1:])


@cache
def _enum(definition: str) -> tuple[str, ...]:
    for name in SCHEMA_MODELS:
        schema = json_schema(name)
        assert isinstance(schema, dict)
        part = schema.get("$defs", {}).get(definition, {})
        if part.get("enum"):
            return tuple(map(str, part["enum"]))
    return ()


def _examples(name: str) -> Iterator[tuple[str, str]]:
    """Yield a value of each key from real content: its path and a line of YAML."""
    found: dict[str, str] = {}
    for root in ROOTS:
        for file in sorted(root.rglob(GLOBS.get(name, "-"))):
            for path, line in _lines(parse_yaml(file.read_text("utf-8")), ""):
                if len(line) <= LONGEST_EXAMPLE:
                    found.setdefault(path, line)
    yield from found.items()


def _lines(value: Any, path: str) -> Iterator[tuple[str, str]]:
    if isinstance(value, dict):
        for key, child in value.items():
            below = f"{path}.{key}".removeprefix(".")
            key_path = f"{path}.KEY" if path in ("components", "changes") else below
            if isinstance(child, str) and "\n" not in child.strip():
                yield below, f"{key}: {child.strip()}"
            elif isinstance(child, list) and child and all(isinstance(item, str) for item in child):
                yield below, f"{key}: [{', '.join(child)}]"
            else:
                yield from _lines(
                    child, key_path if isinstance(child, dict) and path == "components" else below
                )
    elif isinstance(value, list):
        for item in value:
            yield from _lines(item, f"{path}[]")


def _one_line(text: str) -> str:
    return " ".join(text.split())
