// SPDX-License-Identifier: MIT
pragma solidity ^0.8.29;

contract Base { uint256 public first; }

contract Moved is Base layout
    // where the layout begins
    at 0x1000 + 2 ** 8 { uint256 public second; }

contract Swapped layout/**/at/**/(0xAB << 8) is Base { bool public flag; uint256 public third; }

contract Plain is Base {
    // layout at 5
    struct layout { uint256 at; }
    layout at;
    function get() external view returns (uint256) { return at.at; }
}
