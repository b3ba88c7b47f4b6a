// SPDX-License-Identifier: Apache-2.0
pragma solidity ^0.8.30;

import {Fare} from "./Fare.sol";

/// @title A gate that opens for a paid fare
contract Turnstile {
    address public immutable station;
    string public line;
    mapping(address => uint256) public rides;

    event Passed(address indexed rider, uint8 zones);

    constructor(string memory line_, address station_) {
        line = line_;
        station = station_;
    }

    /// @notice Pays for a ride of some zones
    function pass(uint8 zones) external payable {
        require(msg.value == Fare.price(zones), "wrong fare");
        rides[msg.sender] += 1;
        emit Passed(msg.sender, zones);
    }
}
