"""Yul for Pygments, which has no lexer of its own for it (Solidity's documentation, "Yul", grammar)."""

from typing import Any, ClassVar

from pygments.lexer import RegexLexer, words
from pygments.token import Comment, Keyword, Name, Number, Operator, Punctuation, String, Text

INSTRUCTIONS = (
    *(
        "add",
        "addmod",
        "address",
        "and",
        "balance",
        "basefee",
        "blobbasefee",
        "blobhash",
        "blockhash",
        "byte",
    ),
    *("call", "callcode", "calldatacopy", "calldataload", "calldatasize", "caller", "callvalue", "chainid"),
    *("codecopy", "codesize", "coinbase", "create", "create2", "datacopy", "dataoffset", "datasize"),
    *("delegatecall", "difficulty", "div", "eq", "exp", "extcodecopy", "extcodehash", "extcodesize", "gas"),
    *(
        "gaslimit",
        "gasprice",
        "gt",
        "invalid",
        "iszero",
        "keccak256",
        "linkersymbol",
        "loadimmutable",
        "log0",
    ),
    *(
        "log1",
        "log2",
        "log3",
        "log4",
        "lt",
        "mcopy",
        "memoryguard",
        "mload",
        "mod",
        "msize",
        "mstore",
        "mstore8",
    ),
    *("mul", "mulmod", "not", "number", "or", "origin", "pop", "prevrandao", "return", "returndatacopy"),
    *("returndatasize", "revert", "sar", "sdiv", "selfbalance", "selfdestruct", "setimmutable", "sgt", "shl"),
    *(
        "shr",
        "signextend",
        "sload",
        "slt",
        "smod",
        "sstore",
        "staticcall",
        "stop",
        "sub",
        "timestamp",
        "tload",
    ),
    *("tstore", "verbatim", "xor"),
)
"""The instructions of the EVM as Yul spells them, and what objects add to them."""


class YulLexer(RegexLexer):
    """Yul and its objects."""

    name = "Yul"
    aliases: ClassVar[list[str]] = ["yul"]
    url = "https://docs.soliditylang.org/en/latest/yul.html"

    tokens: ClassVar[dict[str, Any]] = {
        "root": [
            (r"\s+", Text),
            (r"//[^\n]*", Comment.Single),
            (r"/\*[^*]*\*+(?:[^/*][^*]*\*+)*/", Comment.Multiline),
            (
                words(
                    (
                        "break",
                        "case",
                        "continue",
                        "default",
                        "for",
                        "function",
                        "if",
                        "leave",
                        "let",
                        "switch",
                    ),
                    suffix=r"\b",
                ),
                Keyword,
            ),
            (words(("code", "data", "object"), suffix=r"\b"), Keyword.Declaration),
            (words(("true", "false"), suffix=r"\b"), Keyword.Constant),
            (words(INSTRUCTIONS, suffix=r"\b"), Name.Builtin),
            (r'hex"[0-9a-fA-F]*"', String),
            (r'"(?:[^"\\\n]|\\.)*"', String),
            (r"0x[0-9a-fA-F]+|[0-9]+", Number),
            (r"[A-Za-z_$][\w$.]*", Name),
            (r":=|->", Operator),
            (r"[{}(),:]", Punctuation),
            (r".", Text),
        ]
    }
