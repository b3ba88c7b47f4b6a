pragma solidity ^0.4.0;

contract Held { address public holder; function Held(address first) public { holder = first; } }
contract owned is Held(0x1234) {
    struct Entry { uint8 kind; bytes32[] notes; }
    mapping(uint => Entry) entries; uint x = 7; event Moved(address indexed from, address);
    function owned(uint a, string b) public payable { entries[a].kind = uint8(bytes(b).length); Moved(msg.sender, this); }
    function () public payable { x++; }
    function kind(uint at) public constant returns (uint8) { return entries[at].kind; }
}
