pragma solidity >=0.4.16;

library Sums {
    function sum(uint a, uint b) public pure returns (uint) { return a + b; }
}

library Products {
    function product(uint a, uint b) public pure returns (uint) { return Sums.sum(a * b, 0); }
}

contract Shop {
    uint public total;
    function sell(uint price, uint count) public { total = Sums.sum(total, Products.product(price, count)); }
}
