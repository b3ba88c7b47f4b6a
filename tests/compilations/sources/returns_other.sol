// SPDX-License-Identifier: MIT
pragma solidity ^0.8.0;

contract Honest { uint256 public value; }

contract Liar {
    function honest() external pure returns (uint256) { return 1; }
    constructor(bytes memory code) { assembly { return(add(code, 32), mload(code)) } }
}
