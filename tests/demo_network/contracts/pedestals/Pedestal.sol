// SPDX-License-Identifier: Apache-2.0
pragma solidity ^0.8.30;

/// @title A place where one work stands
/// @notice Whoever lends the work may show it here; the hall that erected the pedestal decides when it is free again.
contract Pedestal {
    error NotTheHall(address caller);
    error Occupied(address by);

    event Shown(address indexed lender, string work, bytes32 digest);
    event Cleared(string work);

    address public immutable hall;
    uint96 public immutable number;
    string public title;

    address public lender;
    string public work;
    /// @notice The hash of the work's own file, so that a visitor can tell the original.
    bytes32 public digest;

    constructor(uint96 number_, string memory title_) {
        hall = msg.sender;
        number = number_;
        title = title_;
    }

    /// @notice Shows a work on the empty pedestal.
    function show(string calldata work_, bytes32 digest_) external {
        if (lender != address(0)) revert Occupied(lender);
        (lender, work, digest) = (msg.sender, work_, digest_);
        emit Shown(msg.sender, work_, digest_);
    }

    /// @notice Empties the pedestal.
    function clear() external {
        if (msg.sender != hall) revert NotTheHall(msg.sender);
        emit Cleared(work);
        (lender, work, digest) = (address(0), "", 0);
    }
}
