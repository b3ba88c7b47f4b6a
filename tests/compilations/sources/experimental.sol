pragma solidity >=0.4.19;
pragma experimental ABIEncoderV2;

contract Orders {
    struct Item { uint id; bytes[] parts; }
    Item[] internal items;
    function place(Item memory item) public { items.length + item.id; }
    function all() public view returns (Item[] memory) { return items; }
}
