// SPDX-License-Identifier: Apache-2.0
pragma solidity ^0.8.8;

library Rates { function rate(uint256 amount) external pure returns (uint256) { return amount * 3; } }

contract Leaf {
    bytes32 public immutable NAME;
    constructor(bytes32 name) { NAME = name; }
}

contract Middle {
    address public immutable OWNER;
    bool private immutable IS_OPEN;
    int8 internal immutable SIGNED;
    constructor() { OWNER = msg.sender; IS_OPEN = true; SIGNED = -3; }
    function open() public view returns (bool, int8) { return (IS_OPEN, SIGNED); }
}

contract Crown is Middle {
    Leaf public immutable LEAF;
    function(uint256) internal pure returns (uint256) private immutable RULE;
    uint256 public last;
    constructor(bytes32 name) { LEAF = new Leaf{salt: name}(name); RULE = _double; }
    function _double(uint256 a) private pure returns (uint256) { return 2 * a; }
    function grow(uint256 by) external { last = Rates.rate(RULE(by)); new Middle(); }
}
