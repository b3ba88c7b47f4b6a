OWNER: immutable(address)
LIMIT: immutable(uint256)
NAME: immutable(String[40])

@deploy
def __init__(limit: uint256, name: String[40]):
    OWNER = msg.sender
    LIMIT = limit
    NAME = name

@external
@view
def limit() -> uint256:
    return LIMIT

@external
@view
def owner() -> address:
    return OWNER

@external
@view
def name() -> String[40]:
    return NAME
