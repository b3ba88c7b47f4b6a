"""The intended signatures of selectors that several share (4byte 1.1.10)."""

_SEAPORT_ORDER = (
    "(address,address,(uint8,address,uint256,uint256,uint256)[],"
    "(uint8,address,uint256,uint256,uint256,address)[],uint8,uint256,uint256,bytes32,uint256,bytes32,uint256"
)

CANONICAL_SIGNATURES: dict[str, str | None] = {
    # Functions of common interfaces, such as ERC-20 and ERC-721
    "0x01ffc9a7": "supportsInterface(bytes4)",
    "0x06fdde03": "name()",
    "0x081812fc": "getApproved(uint256)",
    "0x095ea7b3": "approve(address,uint256)",
    "0x18160ddd": "totalSupply()",
    "0x23b872dd": "transferFrom(address,address,uint256)",
    "0x313ce567": "decimals()",
    "0x3644e515": "DOMAIN_SEPARATOR()",
    "0x39509351": "increaseAllowance(address,uint256)",
    "0x70a08231": "balanceOf(address)",
    "0x8abf6077": "proxyOwner()",
    "0x8da5cb5b": "owner()",
    "0x95d89b41": "symbol()",
    "0xa457c2d7": "decreaseAllowance(address,uint256)",
    "0xa9059cbb": "transfer(address,uint256)",
    "0xd55ec697": "upgrade()",
    "0xdd62ed3e": "allowance(address,address)",
    # Functions of single protocols, as listed by 4byte. An entry has no effect if its signature has another
    # selector.
    "0x09b81346": "exactOutput((bytes,address,uint256,uint256))",
    "0x0d0f30c6": "token1()",
    "0x0dfe1681": "token0()",
    "0x1a686502": "uniswapV3SwapCallback(int256,int256,bytes)",
    "0x415565b0": "transformERC20(address,address,uint256,uint256,(uint32,bytes)[])",
    "0x41973cd9": "putCurEpochConPubKeyBytes(bytes)",
    "0x5f575529": "swap(string,address,uint256,bytes)",
    "0x7c025200": "swap(address,(address,address,address,address,uint256,uint256,uint256,bytes),bytes)",
    "0x89035730": "flash(address,uint256,uint256,bytes)",
    "0x9a2b8115": "batchBuyWithETH((uint256,uint256,bytes)[])",
    "0xc45a0155": "mint(address,int24,int24,uint128,bytes)",
    "0xe7acab24": f"fulfillAdvancedOrder(({_SEAPORT_ORDER}),uint120,uint120,bytes,bytes),"
    "(uint256,uint8,uint256,uint256,bytes32[])[],bytes32,address)",
    "0xfc6f7865": "uniswapV3MintCallback(uint256,uint256,bytes)",
    "0xfd9f1e10": f"cancel({_SEAPORT_ORDER})[])",
    # Creation code begins with these bytes. Do not take them for the selector of a function.
    "0x60806040": None,
    "0x60a06040": None,
    "0x60c06040": None,
    "0x60e06040": None,
    "0x61010060": None,
}
"""The intended signature of a selector, or None; all others with the same hash are filtered."""
