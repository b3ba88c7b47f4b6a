"""Declarations in Solidity and Yul, on texts that solc takes and on some that hide a name in a comment or a string."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from statuary.contracts.model.solidity_source import (
    count_immutables,
    find_declaration,
    strip_comments,
    yul_object_name,
)
from support.strategies import steady

OLD, RECENT = "0.4.24+commit.e67f0147", "0.8.30+commit.73712a01"

DECLARED = [
    "contract A {}",
    "contract/**/A{}",
    "contract // A is below\n A {}",
    "contract\t\r\n A is B {}",
    f"contract{' ' * 5000}A {{}}",
    "abstract\ncontract A is B, C {}",
    "string constant s = 'contract B {'; contract A {}",
    '/* " */ contract A {} /* " */',
    'contract B { string s = "it\'s {"; } contract A {}',
    'contract B { string s = "\\"{"; } contract A {}',
    "/*/ contract B {} */ contract A {}",
    "/** @title \u0410 */ contract A {}",
    "// one\rcontract A {}",
    "contract B { function f() public { assembly { let x := 1 } } } contract A {}",
    "contract AB {} contract A {}",
]

NOT_DECLARED = [
    "// contract A {}",
    "/* contract A {} */ contract B {}",
    "/// contract A\ncontract B { }",
    'contract B { string s = "contract A {"; }',
    "contract B { string s = 'contract A {'; }",
    "contract B { /* } */ string s; function contract_A() public {} }",
    "subcontract A {}",
    "contract AB {} contract BA {} contract $A {}",
    "contract B { function f() public { assembly { let x := contract A := 2 } } }",
    'contract B { string s = "\\\\"; /* contract A { */ }',
    "contract/A {}",
    'contract "" A {}',
    "contractA {}",
    "/* contract A {}",
    "A",
    "",
]


@pytest.mark.parametrize("text", DECLARED)
def test_solidity_declaration_is_found(text):
    assert find_declaration(text, "A", RECENT).keyword == "contract"


@pytest.mark.parametrize("text", NOT_DECLARED)
def test_name_in_comment_is_ignored(text):
    assert find_declaration(text, "A", RECENT) is None


@pytest.mark.parametrize("keyword", ["contract", "library", "interface"])
def test_declaration_is_found_by_each_keyword(keyword):
    assert find_declaration(f"{keyword} A$_1 {{}}", "A$_1", RECENT).keyword == keyword


def test_carriage_return_ends_recent_comments():
    text = "// one\rcontract A {}\n"
    assert find_declaration(text, "A", OLD) is None
    assert find_declaration(text, "A", "0.4.25+commit.59dbf8f1") is not None


@pytest.mark.parametrize(
    ("text", "has_custom_layout"),
    [
        ("contract A layout at 5 {}", True),
        ("contract A is B layout /* here */\n at/**/0x10 {}", True),
        ("contract A layout at 2 ** 8 is B {}", True),
        ("contract A /* layout at 5 */ is B {}", False),
        ("contract A { /* layout at 5 */ }", False),
        ("contract A { struct layout { uint at; } layout at; }", False),
        ("contract A is layouts { uint at; }", False),
        ("contract B layout at 5 {} contract A {}", False),
    ],
)
def test_layout_specifier_is_found_in_head(text, has_custom_layout):
    assert find_declaration(text, "A", RECENT).has_custom_layout is has_custom_layout


def test_immutables_are_counted_in_code():
    text = "contract A { uint immutable a; bytes32 immutable public b; // uint immutable c;\n string s = 'immutable'; }"
    assert count_immutables(text, RECENT) == 2


@pytest.mark.parametrize(
    ("text", "name"),
    [
        ('object "A" { code {} }', "A"),
        ('// object "B"\n/* object "C" */ object /* "D" */\n"A" { code {} object "B" { code {} } }', "A"),
        ("{ sstore(0, 1) }", "object"),
        ('code { object "A" }', "object"),
        ('/* object "A" {} ', ""),
        ("", ""),
    ],
)
def test_outermost_yul_object_names_contract(text, name):
    assert yul_object_name(text) == name


PIECES = st.sampled_from(
    [
        "/",
        "*",
        "//",
        "/*",
        "*/",
        '"',
        "'",
        "\\",
        "\n",
        "\r",
        "{",
        "}",
        " ",
        "contract",
        "A",
        "x",
        "\u2028",
        "é",
    ]
)


def plain_code(text: str) -> str:
    """Return the code of a source by a scanner of single characters."""
    code, at = [], 0
    while at < len(text):
        two, one = text[at : at + 2], text[at]
        if two == "//":
            while at < len(text) and text[at] not in "\n\r":
                at += 1
            code.append(" ")
        elif two == "/*":
            end = text.find("*/", at + 2)
            at = len(text) if end < 0 else end + 2
            code.append(" ")
        elif one in "\"'":
            at += 1
            while at < len(text) and text[at] not in (one, "\n", "\r"):
                if text[at] == "\\" and at + 1 == len(text):
                    break
                at += 2 if text[at] == "\\" else 1
            at += at < len(text) and text[at] == one
            code.append(f" {one}")
        else:
            code.append(one)
            at += 1
    return "".join(code)


@steady
@given(st.lists(PIECES, max_size=40).map("".join))
def test_stripped_code_matches_simple_scanner(text):
    assert strip_comments(text, RECENT) == plain_code(text)
