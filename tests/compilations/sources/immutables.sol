// SPDX-License-Identifier: MIT
pragma solidity >=0.6.5;

abstract contract Parent { uint8 immutable internal small = 7; }

contract Child is Parent {
    bytes32 immutable public word;
    bool immutable public flag;
    int64 immutable signed;
    address payable immutable public owner;

    constructor(bytes32 given) public { word = given; flag = true; signed = -5; owner = msg.sender; }

    function read() external view returns (bytes32, bytes32, bool, int64, uint8) {
        return (word, word, flag, signed, small);
    }
}
