"""The grammar of `fields` and `omit`, with each message as the real server words it."""

import pytest

from statuary.contracts.model.field_names import DOTTED, NAMES, SELECTABLE
from statuary.extensions.serving.selection import (
    EVERYTHING,
    REST,
    InvalidSelectorError,
    Selection,
    parse_selection,
)


@pytest.mark.parametrize(
    ("fields", "omit", "message"),
    [
        ("abi", "metadata", "Cannot specify both fields and omit"),
        ("nonsense", "nonsense", "Cannot specify both fields and omit"),
        ("all,abi", None, "Cannot specify 'all' with other fields"),
        ("all,all", None, "Cannot specify 'all' with other fields"),
        ("nonsense,all", None, "Cannot specify 'all' with other fields"),
        ("ALL", None, "Field selector ALL is not a valid field"),
        (None, "all", "Field selector all is not a valid field"),
        ("abi,", None, "Field selector  is not a valid field"),
        (",abi", None, "Field selector  is not a valid field"),
        ("abi,,metadata", None, "Field selector  is not a valid field"),
        ("abi, metadata", None, "Field selector  metadata is not a valid field"),
        ("Abi", None, "Field selector Abi is not a valid field"),
        ("match", None, "Field selector match is not a valid field"),
        ("chainId", None, "Field selector chainId is not a valid field"),
        (None, "address", "Field selector address is not a valid field"),
        ("nonsense,worse", None, "Field selector nonsense is not a valid field"),
        ("abi.0", None, "Field selector abi.0 is not a valid field"),
        ("sources.a", None, "Field selector sources.a is not a valid field"),
        ("compilation.", None, "Field selector compilation. is not a valid field"),
        (".", None, "Field selector . is not a valid field"),
        (".abi", None, "Field selector .abi is not a valid field"),
        ("compilation.sources", None, "Field selector compilation.sources is not a valid field"),
        ("deployment.name", None, "Field selector deployment.name is not a valid field"),
        ("..", None, "Field selector cannot have more than one level subselectors: .."),
        ("a.b.c", None, "Field selector cannot have more than one level subselectors: a.b.c"),
        ("__proto__", None, "Field selector __proto__ is not a valid field"),
        ("constructor", None, "Field selector constructor is not a valid field"),
        ("abi.length", None, "Field selector abi.length is not a valid field"),
        (
            "proxyResolution.isProxy",
            None,
            "Field selector proxyResolution.isProxy is not a valid field",
        ),
    ],
)
def test_invalid_selection_is_rejected(fields, omit, message):
    with pytest.raises(InvalidSelectorError) as refused:
        parse_selection(fields, omit)
    assert str(refused.value) == message


def test_no_selection_equals_all():
    assert parse_selection(None, None) == parse_selection("all", None) == EVERYTHING
    assert EVERYTHING.is_whole_record


@pytest.mark.parametrize("name", sorted(NAMES))
def test_members_can_be_selected_and_omitted(name):
    member, _, inner = name.partition(".")
    chosen = {member: (inner,) if inner else ()}
    assert parse_selection(name, None) == Selection(fields=chosen)
    assert parse_selection(None, name) == Selection(omit=chosen)


def test_selectable_name_counts_match_server():
    assert (len(SELECTABLE), len(DOTTED)) == (21, 30)


@pytest.mark.parametrize(
    ("fields", "chosen"),
    [
        ("abi,abi", {"abi": ()}),
        ("metadata,abi", {"metadata": (), "abi": ()}),
        ("compilation.name,abi,compilation.compiler", {"compilation": ("name", "compiler"), "abi": ()}),
        ("compilation.name,compilation", {"compilation": ("name", REST)}),
        ("compilation.name,compilation,compilation.compiler", {"compilation": ("name", REST)}),
        ("compilation,compilation.name", {"compilation": ()}),
        ("compilation.name,compilation.name", {"compilation": ("name",)}),
    ],
)
def test_fields_merge_in_request_order(fields, chosen):
    selection = parse_selection(fields, None)
    assert selection.fields == chosen
    assert list(selection.fields or ()) == list(chosen)


@pytest.mark.parametrize("omit", ["deployment,deployment.deployer", "deployment.deployer,deployment"])
def test_whole_omit_overrides_part_omit(omit):
    assert parse_selection(None, omit) == Selection(omit={"deployment": ()})
