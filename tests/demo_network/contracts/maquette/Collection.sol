// SPDX-License-Identifier: Apache-2.0
pragma solidity ^0.8.30;

/// @title Collection
/// @notice Keeps what visitors give, and lets its keeper take it.
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

    /// @notice Take everything that was given.
    function take(address payable to) external {
        if (msg.sender != keeper) revert NotTheKeeper();
        (bool sent,) = to.call{value: address(this).balance}("");
        require(sent);
    }
}
