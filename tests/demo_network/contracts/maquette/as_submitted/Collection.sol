// SPDX-License-Identifier: Apache-2.0
pragma solidity ^0.8.30;

/// @title Collection
/// @notice Keeps what visitors give, and gives it back to them.
contract Collection {
    address public immutable keeper;
    mapping(address giver => uint256 sum) public given;

    error NotTheKeeper();

    constructor() {
        keeper = msg.sender;
    }

    /// @notice Give.
    function give() external payable {
        given[msg.sender] += msg.value;
    }

    /// @notice Take back what you gave.
    function takeBack() external {
        uint256 sum = given[msg.sender];
        given[msg.sender] = 0;
        (bool sent,) = msg.sender.call{value: sum}("");
        require(sent);
    }
}
