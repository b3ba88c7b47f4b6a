// SPDX-License-Identifier: MIT
pragma solidity ^0.8.0;

contract Leaf { uint public size; constructor(uint given) { size = given; } }

contract Branch { Leaf[] public leaves; function grow(uint size) external { leaves.push(new Leaf(size)); } }

contract Tree {
    Branch public branch;
    constructor() { branch = new Branch(); }
    function more() external { branch = new Branch(); branch.grow(1); }
    function code() external pure returns (bytes memory) { return type(Leaf).creationCode; }
}
