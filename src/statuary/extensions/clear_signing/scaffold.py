"""Write a first descriptor from the ABI and NatSpec of a record."""

import re
from collections.abc import Iterator
from typing import Final

from statuary.base.json_values import Json, JsonObject, as_object, as_text
from statuary.contracts.checks.deceptive_text import describe_deceptive_character
from statuary.contracts.model.abi import BasicType
from statuary.extensions.clear_signing.key_types import ListType, StructType, ValueType
from statuary.extensions.clear_signing.path_types import DataTypes
from statuary.extensions.clear_signing.paths import DATA, Member, Path
from statuary.extensions.clear_signing.records import DeployedCode, Function

SCHEMA: Final = "../../specs/erc7730-v2.schema.json"
LONGEST_INTENT: Final = 40
"""Characters of the longest notice that becomes an intent; wallets have one line for it."""

_TIMES: Final = re.compile(r"(?i)(deadline|expiry|expiration|expires(at)?|valid(until|to|before)|timestamp)$")
_AMOUNTS: Final = frozenset(("value", "amount", "wad", "tokens"))
_TOKEN: Final = frozenset(("transfer(address,uint256)", "approve(address,uint256)"))
"""Functions by which a token is recognized; amounts in its calls are in its own units."""


def scaffold_descriptor(code: DeployedCode, chain_id: str, owner: str) -> JsonObject:
    """Write a first descriptor of a contract, for its author to edit.

    A descriptor tells wallets how to show calls. It has a format for each function that changes state.

    Args:
        code: the verified code of the contract.
        owner: the publisher of the contract; empty to use the contract's name.
    """
    functions = {function.signature: function for function in code.state_changing_functions()}
    is_token = functions.keys() >= _TOKEN
    notices = _first_notice_sentences(code)
    formats: dict[str, Json] = {}
    for signature, function in sorted(functions.items(), key=lambda item: item[0]):
        function_name = function.signature.partition("(")[0]
        notice = notices.get(signature, "")
        is_intent = 0 < len(notice) <= LONGEST_INTENT and not describe_deceptive_character(notice)
        formats[function_name + _type_with_member_names(StructType(function.parameters))] = {
            "intent": notice if is_intent else _name_to_words(function_name),
            "fields": list(_scaffold_fields(function, is_token=is_token)),
        }
    implementation = code.other_codes[0].name if code.other_codes else code.own_code.name
    name = _text_unless_deceptive(implementation) or "Contract"
    return {
        "$schema": SCHEMA,
        "context": {
            "$id": name,
            "contract": {"deployments": [{"chainId": int(chain_id), "address": code.own_code.address}]},
        },
        "metadata": {"owner": _text_unless_deceptive(owner) or name, "contractName": name},
        "display": {"formats": formats},
    }


def _first_notice_sentences(code: DeployedCode) -> dict[str, str]:
    notices: dict[str, str] = {}
    for verified in code.all_codes:
        for signature, text in verified.notices.items():
            notices.setdefault(signature, re.split(r"\.(?:\s|$)|\n", text.strip())[0].strip())
    return notices


def _type_with_member_names(value_type: ValueType) -> str:
    match value_type:
        case ListType(item, length):
            return f"{_type_with_member_names(item)}[{'' if length is None else length}]"
        case StructType(members):
            parameters = [
                f"{_type_with_member_names(member.type)} {member.name}".rstrip() for member in members
            ]
            return f"({','.join(parameters)})"
        case BasicType():
            return value_type.canonical_name
        case _:
            return value_type.name


def _scaffold_fields(function: Function, *, is_token: bool) -> Iterator[JsonObject]:
    """Yield a field for each parameter of a function.

    If the function is payable, the amount that a call sends is the first. Parameters without a name are skipped.
    """
    if function.mutability == "payable":
        yield {"path": "@.value", "label": "Value", "format": "amount"}
    types = DataTypes(StructType(function.parameters))
    for leaf in types.leaf_paths():
        names = [step.name for step in leaf if isinstance(step, Member)]
        if all(not name.startswith("(") for name in names):
            path = Path(DATA, leaf)
            label = _name_to_words(names[-1] if names else "Value")
            is_amount = is_token and all(isinstance(step, Member) for step in leaf)
            field_format = _guess_format(types.type_at_path(path).type, names, is_token=is_amount)
            yield {"path": str(path), "label": label, **field_format}


def _guess_format(value_type: object, member_names: list[str], *, is_token: bool) -> JsonObject:
    name = value_type.kind if isinstance(value_type, BasicType) else ""
    if name == "address":
        return {"format": "addressName"}
    if name in ("uint", "int") and member_names:
        if _TIMES.search(member_names[-1]):
            return {"format": "date", "params": {"encoding": "timestamp"}}
        if is_token and len(member_names) == 1 and member_names[0].strip("_").lower() in _AMOUNTS:
            return {"format": "tokenAmount", "params": {"tokenPath": "@.to"}}
    return {"format": "raw"}


def _name_to_words(identifier: str) -> str:
    """Convert a name in code to words: `amountOutMin` is "Amount out min"."""
    words = (
        re.sub(r"([a-z0-9])([A-Z])|([A-Z])([A-Z][a-z])", r"\1\3 \2\4", identifier).replace("_", " ").split()
    )
    text = " ".join(word if word.isupper() and len(word) > 1 else word.lower() for word in words)
    return text[:1].upper() + text[1:] or identifier


def _text_unless_deceptive(text: str) -> str:
    return "" if describe_deceptive_character(text) else text.strip()


def descriptor_path(descriptor: JsonObject, entity: str) -> str:
    """Choose the path of a new descriptor, as in the public registry.

    Args:
        descriptor: the new descriptor.
        entity: the name of the folder; empty to use the contract's name.
    """
    name = re.sub(r"[^A-Za-z0-9]+", "", as_text(as_object(descriptor["metadata"]).get("contractName")))
    folder = re.sub(r"[^a-z0-9]+", "-", (entity or name).lower()).strip("-")
    return f"registry/{folder or 'contracts'}/calldata-{name or 'Contract'}.json"
