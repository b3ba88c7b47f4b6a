// SPDX-License-Identifier: MIT
pragma solidity ^0.8.28;

type Price is uint128;
using {plus as +} for Price global;
function plus(Price a, Price b) pure returns (Price) { return Price.wrap(Price.unwrap(a) + Price.unwrap(b)); }

library Logs { event Logged(uint256 value); error Wrong(Price price); }

contract Market {
    uint256 transient guard;
    Price public price;
    event Logged(uint256 value);

    function raise(Price more) external {
        require(guard == 0, Logs.Wrong(more));
        guard = 1;
        price = price + more;
        emit Logs.Logged(Price.unwrap(price));
        emit Logged(1);
        guard = 0;
    }
}
