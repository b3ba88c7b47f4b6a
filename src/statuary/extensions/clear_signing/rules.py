"""The rules of descriptors: functions whose docstring's first line is the rule.

`DESCRIPTOR_RULES` check a descriptor alone: an error excludes all of its deployments. `DEPLOYMENT_RULES`
compare it with the verified code at one address: an error excludes only that deployment.
"""

import re
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from dataclasses import field as dataclass_field
from functools import cached_property
from typing import Final

from statuary.base.budget import StepLimitError, consume_steps
from statuary.base.findings import Finding, Pointer, Rule, Severity
from statuary.base.json_values import as_object
from statuary.base.primitives import InvalidValueError, parse_address, shorten
from statuary.base.rules import rule_of_function, rule_text
from statuary.contracts.checks.deceptive_text import describe_deceptive_character
from statuary.extensions.clear_signing import plain_text
from statuary.extensions.clear_signing.attestations import descriptor_hash
from statuary.extensions.clear_signing.descriptors import (
    INCLUDES,
    READABLE,
    DescribedContract,
    Descriptor,
    SigningFileKind,
)
from statuary.extensions.clear_signing.field_rules import (
    BrokenRule,
    field_path_violations,
    field_type_violations,
    shows_amount_sent,
    uses_amount_sent,
)
from statuary.extensions.clear_signing.fields import Field, fields_of_format, find_placeholders
from statuary.extensions.clear_signing.key_types import (
    FunctionKey,
    MessageKey,
    StructType,
    parse_function_key,
    parse_message_key,
)
from statuary.extensions.clear_signing.limits import MAX_FIELDS, MAX_SHOWN
from statuary.extensions.clear_signing.path_types import DataTypes
from statuary.extensions.clear_signing.paths import DATA
from statuary.extensions.clear_signing.plain_text import quote_shortened
from statuary.extensions.clear_signing.records import DeployedCode, Function, SelectorOwner
from statuary.extensions.clear_signing.schema import schema_errors

GROUP: Final = "clear signing"
FORMATS: Final[Pointer] = ("display", "formats")


@dataclass(frozen=True)
class ParsedDescriptor:
    """A descriptor with the parsed functions, types and fields that it describes.

    A descriptor is the ERC-7730 file that tells wallets how to show a contract's calls.
    """

    descriptor: Descriptor
    undisplayed: dict[str, tuple[str, ...]] = dataclass_field(default_factory=dict, compare=False)
    """The values that no visible field of a key's format shows (`undisplayed.py`), cached."""

    @cached_property
    def descriptor_hash(self) -> str:
        """The hash of the descriptor, which auditors sign in attestations."""
        return descriptor_hash(self.descriptor.own_value)

    @cached_property
    def parsed_keys(self) -> Mapping[str, FunctionKey | MessageKey | InvalidValueError]:
        """The function or message type that each format of the descriptor shows.

        A key is the string in the descriptor, such as `transfer(address to,uint256 amount)`. Its value is the
        parsed string, or the error in it.
        """
        parse: Callable[[str], FunctionKey | MessageKey] = (
            parse_function_key if self.descriptor.kind is SigningFileKind.CALLDATA else parse_message_key
        )
        keys: dict[str, FunctionKey | MessageKey | InvalidValueError] = {}
        for key in self.descriptor.formats:
            try:
                keys[key] = parse(key)
            except InvalidValueError as error:
                keys[key] = error
        return keys

    @cached_property
    def functions(self) -> Mapping[str, FunctionKey]:
        """The functions that the descriptor tells wallets how to show.

        The key is the function as the descriptor spells it, such as `transfer(address to,uint256 amount)`.
        """
        return {key: value for key, value in self.parsed_keys.items() if isinstance(value, FunctionKey)}

    @cached_property
    def types_by_format(self) -> Mapping[str, DataTypes]:
        """The types of the function parameters or message members, by format.

        The keys are functions or EIP-712 types as the descriptor spells them. Formats with an invalid key are
        left out.
        """
        types = {}
        for key, value in self.parsed_keys.items():
            if isinstance(value, FunctionKey):
                types[key] = DataTypes(StructType(value.parameters))
            elif isinstance(value, MessageKey):
                types[key] = DataTypes(value.types[value.primary], value.types)
        return types

    @cached_property
    def fields_using_amount(self) -> Mapping[str, Field]:
        """The first field of each format that uses the amount sent, `@.value`.

        This is the amount of the chain's currency that the transaction sends. The key is the function as
        the descriptor spells it.
        """
        field_by_key = {
            key: next(filter(uses_amount_sent, fields), None) for key, fields in self.fields_by_format.items()
        }
        return {key: field for key, field in field_by_key.items() if field is not None}

    @cached_property
    def formats_showing_amount(self) -> frozenset[str]:
        """The keys of the formats that show the amount sent, `@.value`.

        This is the amount of the chain's currency that the transaction sends. A key is a function as the
        descriptor spells it.
        """
        return frozenset(
            key for key, fields in self.fields_by_format.items() if any(map(shows_amount_sent, fields))
        )

    @cached_property
    def fields_by_format(self) -> Mapping[str, tuple[Field, ...]]:
        """All fields of each format, including those in groups.

        The keys are functions or EIP-712 types, as the descriptor spells them.

        Raises:
            StepLimitError: if the descriptor has more than `MAX_FIELDS` fields.
        """
        fields, number = {}, 0
        for key in self.descriptor.formats:
            fields[key] = tuple(fields_of_format(self.descriptor.value, key))
            number += len(fields[key])
            if number > MAX_FIELDS:
                raise StepLimitError(
                    f"the descriptor has more than {MAX_FIELDS:,} fields",
                    "divide it into several descriptors",
                )
        return fields


@dataclass(frozen=True)
class DeployedDescriptor:
    """A descriptor, and the verified code of a contract that it describes."""

    parsed: ParsedDescriptor
    deployment: DescribedContract
    code: DeployedCode  # the verified code at the deployment

    @cached_property
    def owners_by_format(self) -> Mapping[str, SelectorOwner]:
        """The contract that runs each function in the descriptor.

        For a proxy, this may be one of its implementations. The key is the function as the descriptor spells
        it.
        """
        return {
            key: self.code.selector_owner(function.selector)
            for key, function in self.parsed.functions.items()
        }

    def verified_function(self, key: str) -> Function | None:
        """Return the verified function that a format describes.

        Args:
            key: the function as the descriptor spells it, such as `transfer(address to,uint256 amount)`.

        Returns:
            The function, or None if the contract has no function with the same signature.
        """
        owner = self.owners_by_format[key]
        same = owner.function is not None and owner.function.signature == self.parsed.functions[key].signature
        return owner.function if same else None


# The following rules need only the descriptor.


def invalid_descriptor(parsed: ParsedDescriptor) -> Iterator[BrokenRule]:
    """A descriptor, merged with its included files, must match version 2 of the ERC-7730 schema.

    A descriptor tells wallets how to show a contract's calls.
    """
    schema = parsed.descriptor.value.get("$schema")
    if isinstance(schema, str) and not re.search(r"erc7730-v2(\.[0-9.]+)?\.schema\.json$", schema):
        yield BrokenRule(
            f"the schema is {quote_shortened(schema)}", ("$schema",), "write the one of version 2"
        )
    for misfit in schema_errors(parsed.descriptor.value):
        yield BrokenRule(misfit.message, misfit.pointer, misfit.hint, on_key=misfit.on_key)
    context = as_object(parsed.descriptor.value.get("context"))
    name = "contract" if parsed.descriptor.kind is SigningFileKind.CALLDATA else "eip712"
    if name not in context:
        yield BrokenRule(f"`context` has no {name!r}, as the file's name says", ("context",))


def invalid_format_key(parsed: ParsedDescriptor) -> Iterator[BrokenRule]:
    """Each format's key in a calldata descriptor must be a unique function with canonical types.

    A format tells wallets how to show a call of the function.
    """
    if parsed.descriptor.kind is not SigningFileKind.CALLDATA:
        return
    selectors: dict[str, str] = {}
    departing = []
    for key, function in parsed.parsed_keys.items():
        at = (*FORMATS, key)
        if isinstance(function, InvalidValueError):
            yield BrokenRule(str(function), at, function.hint, on_key=True)
            continue
        if not isinstance(function, FunctionKey):
            continue
        if function.deviations:
            departing.append(key)
        other_key = selectors.setdefault(function.selector, key)
        if other_key != key:
            message = (
                f"{quote_shortened(key)} has the selector {function.selector} of {quote_shortened(other_key)}"
            )
            yield BrokenRule(message, at, "wallets cannot tell them apart: remove one", on_key=True)
    if departing:
        message = (
            f"{len(departing)} keys have white space that is not one space between a type and its name, "
            f"such as {quote_shortened(departing[0])}"
        )
        hint = "remove it: a wallet that compares text does not find them"
        yield BrokenRule(message, (*FORMATS, departing[0]), hint, Severity.WARNING, on_key=True)


def invalid_message_key(parsed: ParsedDescriptor) -> Iterator[BrokenRule]:
    """Each format's key in an EIP-712 descriptor must be a type string in EIP-712's canonical form."""
    if parsed.descriptor.kind is SigningFileKind.MESSAGES:
        for key, message in parsed.parsed_keys.items():
            if isinstance(message, InvalidValueError):
                yield BrokenRule(str(message), (*FORMATS, key), message.hint, on_key=True)


def invalid_field_path(parsed: ParsedDescriptor) -> Iterator[BrokenRule]:
    """Each path in fields, parameters and intents must lead to a value of the call or message.

    A path such as `#.amount` names the value that a wallet shows.
    """
    for key, types in parsed.types_by_format.items():
        for field in parsed.fields_by_format[key]:
            yield from field_path_violations(field, types, parsed.descriptor.value)
        yield from _intent_violations(parsed, key)


def _intent_violations(parsed: ParsedDescriptor, format_key: str) -> Iterator[BrokenRule]:
    template = parsed.descriptor.formats[format_key].get("interpolatedIntent")
    if not isinstance(template, str):
        return
    at = (*FORMATS, format_key, "interpolatedIntent")
    visible = {}
    for field in parsed.fields_by_format[format_key]:
        try:
            path = field.path()
        except InvalidValueError:
            continue
        if path is not None:
            visible[str(path).replace(".[]", "")] = field.is_always_visible
    try:
        for name in find_placeholders(template):
            is_visible = visible.get(name.removeprefix(f"{DATA}.").replace(".[]", ""))
            if is_visible is None:
                yield BrokenRule(f"{{{name}}} is not the path of a field", at, "add a field, or remove it")
            elif not is_visible:
                message = f"{{{name}}} is a field that is not always visible"
                yield BrokenRule(message, at, severity=Severity.WARNING)
    except InvalidValueError as error:
        yield BrokenRule(str(error), at, error.hint)


def format_type_mismatch(parsed: ParsedDescriptor) -> Iterator[BrokenRule]:
    """The format of a field must be able to show the type of the field's value.

    For example, the format `tokenAmount` cannot show a string.
    """
    for key, types in parsed.types_by_format.items():
        for field in parsed.fields_by_format[key]:
            yield from field_type_violations(field, types, parsed.descriptor.value)


def deceptive_text(parsed: ParsedDescriptor) -> Iterator[BrokenRule]:
    """Labels, intents and names must not contain invisible or lookalike characters."""
    for pointer, text in plain_text.find_shown_texts(parsed.descriptor.value):
        if fault := describe_deceptive_character(text):
            yield BrokenRule(f"{text[:60]!a} {fault}", pointer, "write it in plain letters")


# The following rules compare a descriptor with the verified code of a deployment.


def invalid_deployment_address(deployed: DeployedDescriptor) -> Iterator[BrokenRule]:
    """The address of a deployment must have a valid checksum, if it has one, and fit the EIP-712 domain."""
    reading, deployment = deployed.parsed, deployed.deployment
    address_text = deployment.address_text
    if address_text != address_text.lower():
        try:
            parse_address(address_text.strip())
        except InvalidValueError as error:
            yield BrokenRule(str(error), (*deployment.pointer, "address"), error.hint)
    domain = as_object(reading.descriptor.context.get("domain"))
    at = ("context", "eip712", "domain")
    chain_id = domain.get("chainId")
    contract = domain.get("verifyingContract")
    if chain_id is not None and str(chain_id) != deployment.chain_id:
        message = f"domain.chainId {chain_id} is not {deployment.chain_id}, the chain of the deployment"
        yield BrokenRule(message, (*at, "chainId"))
    if isinstance(contract, str) and contract.lower() != deployment.address:
        message = f"domain.verifyingContract {contract} is not {deployment.address}, the deployment"
        yield BrokenRule(message, (*at, "verifyingContract"))


def unknown_function(deployed: DeployedDescriptor) -> Iterator[BrokenRule]:
    """Each function must be in the verified ABI of the contract, of its implementation, or of a facet.

    Implementations and facets are the contracts to which a proxy forwards calls.
    """
    for key, function in deployed.parsed.functions.items():
        owner, at = deployed.owners_by_format[key], (*FORMATS, key)
        if owner.function is None and owner.unknown:
            yield BrokenRule(
                f"{function.signature}: {owner.unknown}", at, severity=Severity.NOTE, on_key=True
            )
        elif owner.function is None:
            names = deployed.code.signatures_named(function.name)
            hint = f"the code has {', '.join(names[:5])}" if names else "remove the format, or the deployment"
            message = f"no verified code at {deployed.deployment.caip10_id} has {function.signature}"
            yield BrokenRule(message, at, hint, on_key=True)
        elif owner.function.signature != function.signature:
            message = (
                f"the selector {function.selector} of {function.signature} is that of "
                f"{owner.function.signature} at {deployed.deployment.caip10_id}"
            )
            yield BrokenRule(message, at, "the code runs the other function: remove the format", on_key=True)


def parameter_name_mismatch(deployed: DeployedDescriptor) -> Iterator[BrokenRule]:
    """Parameters in a descriptor must have the names that the verified ABI gives them."""
    for key, function in deployed.parsed.functions.items():
        verified = deployed.verified_function(key)
        if verified is None:
            continue
        own_struct = StructType(function.parameters)
        for mine, theirs in _differing_name_pairs(own_struct, StructType(verified.parameters)):
            message = (
                f"{verified.signature}: the key names a parameter {mine!r}, and the code names it {theirs!r}"
            )
            yield BrokenRule(message, (*FORMATS, key), "write the names of the code", on_key=True)
            break


def _differing_name_pairs(own_type: object, other_type: object) -> Iterator[tuple[str, str]]:
    consume_steps(1)
    if isinstance(own_type, StructType) and isinstance(other_type, StructType):
        for own_member, other_member in zip(own_type.members, other_type.members, strict=True):
            if own_member.name and other_member.name and own_member.name != other_member.name:
                yield own_member.name, other_member.name
            yield from _differing_name_pairs(own_member.type, other_member.type)
    else:
        inner = getattr(own_type, "item", None), getattr(other_type, "item", None)
        if None not in inner:
            yield from _differing_name_pairs(*inner)


def value_display_mismatch(deployed: DeployedDescriptor) -> Iterator[BrokenRule]:
    """Formats of payable functions should show `@.value`, the amount sent; other formats must not use it."""
    for key in deployed.parsed.functions:
        verified = deployed.verified_function(key)
        value_field = deployed.parsed.fields_using_amount.get(key)
        if verified is None:
            continue
        if value_field is not None and verified.mutability != "payable":
            message = f"{verified.signature} is {verified.mutability}, and the format names `@.value`"
            yield BrokenRule(message, value_field.pointer, "remove the field: the value is always 0")
        elif verified.mutability == "payable" and key not in deployed.parsed.formats_showing_amount:
            message = f"{verified.signature} is payable, and its format shows no `@.value`"
            hint = "show it, or the reader does not see what is paid"
            yield BrokenRule(message, (*FORMATS, key), hint, Severity.WARNING, on_key=True)


def type_string_mismatch(deployed: DeployedDescriptor) -> Iterator[BrokenRule]:
    """An EIP-712 type that the contract's sources define must be spelled as in the sources.

    EIP-712 messages are structured data that wallets sign.
    """
    if deployed.parsed.descriptor.kind is not SigningFileKind.MESSAGES:
        return
    for key, message in deployed.parsed.parsed_keys.items():
        if not isinstance(message, MessageKey):
            continue
        same_name = deployed.code.type_strings.get(message.primary, frozenset())
        if same_name and not any(key.startswith(text) for text in same_name):
            quoted = shorten(min(same_name), 200)
            text = f"the sources write {message.primary} as {quoted!r}"
            yield BrokenRule(text, (*FORMATS, key), on_key=True)


DESCRIPTOR_RULES: Final[tuple[Callable[[ParsedDescriptor], Iterator[BrokenRule]], ...]] = (
    invalid_descriptor,
    invalid_format_key,
    invalid_message_key,
    invalid_field_path,
    format_type_mismatch,
    deceptive_text,
)
DEPLOYMENT_RULES: Final[tuple[Callable[[DeployedDescriptor], Iterator[BrokenRule]], ...]] = (
    invalid_deployment_address,
    unknown_function,
    parameter_name_mismatch,
    value_display_mismatch,
    type_string_mismatch,
)

WARNED: Final[frozenset[Callable[..., object]]] = frozenset((type_string_mismatch,))
"""Rules whose findings are warnings."""

ONE_DESCRIPTOR: Final = "duplicate-descriptor"
UNVERIFIED: Final = "unverified-deployment"
ATTESTED: Final = "invalid-attestation"


def _make_rule(rule_function: Callable[..., object]) -> Rule:
    rule_entry = rule_of_function(rule_function, GROUP)
    return rule_entry._replace(severity=Severity.WARNING if rule_function in WARNED else Severity.ERROR)


RULES: Final = (
    Rule(
        READABLE,
        Severity.ERROR,
        GROUP,
        "A file of the folder is JSON, without repeated keys and within the limits.",
    ),
    Rule(
        INCLUDES,
        Severity.ERROR,
        GROUP,
        "What a descriptor includes is inside the folder, and includes no file that includes it.",
    ),
    *map(_make_rule, DESCRIPTOR_RULES),
    *map(_make_rule, DEPLOYMENT_RULES),
    Rule(
        ONE_DESCRIPTOR,
        Severity.ERROR,
        GROUP,
        "Of two descriptors for one contract, or for one type of its messages, neither is published.",
    ),
    Rule(
        UNVERIFIED,
        Severity.NOTE,
        GROUP,
        "The contract of a deployment is verified on this site; else nothing is shown of it.",
    ),
    Rule(
        ATTESTED,
        Severity.WARNING,
        GROUP,
        "An attestation is signed by the address in its name, and is about the descriptor beside it.",
    ),
)
"""The rules as `check --list` lists them."""


def violation_findings(
    descriptor: Descriptor, rule_function: Callable[..., object], violations: Iterator[BrokenRule]
) -> list[Finding]:
    """Convert broken rules to findings, at most `MAX_SHOWN` of them.

    Args:
        descriptor: the descriptor that breaks the rule.
        rule_function: the function that implements the rule.
        violations: the places in the descriptor that break the rule.
    """
    name = rule_text(rule_function).name
    usual = Severity.WARNING if rule_function in WARNED else Severity.ERROR
    findings = []
    for violation in violations:
        findings.append(
            descriptor.make_finding(
                name,
                violation.message,
                violation.pointer,
                hint=violation.hint,
                severity=violation.severity or usual,
                on_key=violation.on_key,
            )
        )
        if len(findings) == MAX_SHOWN:
            break
    return findings
