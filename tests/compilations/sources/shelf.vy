# pragma version ~=0.4.0
# pragma optimize codesize
# pragma evm-version cancun
"""@title Shelf"""
import pages
import kinds as named
initializes: pages
exports: pages.count

flag Mode:
    OPEN
    SHUT

DEPTH: immutable(uint256)
TAGS: immutable(String[40])
mode: public(Mode)
once: transient(uint256)

@deploy
@payable
def __init__(depth: uint256, tags: String[40]):
    DEPTH = depth
    TAGS = tags
    pages.__init__()

@external
@view
def depth() -> (uint256, String[40]):
    return DEPTH, TAGS

@external
@nonreentrant
def shut(of: named.Size = named.Size(width=1)) -> uint256:
    self.once = of.width
    self.mode = Mode.SHUT
    return self.once

@external
@raw_return
def __default__() -> Bytes[32]:
    return b"x"
