# @version >=0.3.7
"""
@title Größe — 店
@notice Sells one thing.
"""
from vyper.interfaces import ERC20

interface Asks:
    def ask(n: uint256) -> Bytes[32]: view

enum Kind:
    SMALL
    LARGE

struct Item:
    kind: Kind
    name: String[20]
    sizes: DynArray[uint256, 5]

event Sold:
    buyer: indexed(address)
    item: uint256

TOKEN: immutable(ERC20)
NAMES: immutable(String[12])
LIMIT: constant(uint8) = max_value(uint8)
items: public(HashMap[uint256, Item])
total: uint256

@external
@payable
def __init__(token: ERC20, name: String[12]):
    TOKEN = token
    NAMES = name
    self.items[0] = Item({kind: Kind.SMALL, name: "é", sizes: [1, 2]})

@external
@nonreentrant("lock")
def buy(id: uint256, of: address = msg.sender) -> bool:
    self.total += id
    log Sold(of, id)
    return True

@view
@external
def name() -> String[12]:
    return NAMES

@external
@payable
def __default__():
    pass
