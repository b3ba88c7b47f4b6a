// SPDX-License-Identifier: MIT
pragma solidity ^0.8.4;

/// @title A vault with a fee
/// @author The keepers
contract Vault {
    error Locked(uint256 until, address caller);

    struct Account {
        uint128 balance;
        uint64 until;
        bool frozen;
    }

    event Paid(address indexed from, uint256 amount, string memo);

    uint256 public immutable fee;
    address public immutable keeper;
    mapping(address => Account) public accounts;
    string public motto;
    uint8[3] private weights;

    constructor(uint256 fee_, string memory motto_) {
        fee = fee_;
        keeper = msg.sender;
        motto = motto_;
        weights = [1, 2, 3];
    }

    /// @notice Pay into the vault
    /// @param memo what it is for
    function pay(string calldata memo) external payable {
        Account storage account = accounts[msg.sender];
        if (account.until > block.timestamp) revert Locked(account.until, msg.sender);
        account.balance += uint128(msg.value - fee);
        emit Paid(msg.sender, msg.value, memo);
    }

    function batch(Account[] calldata list, function(uint256) external callback) external {
        for (uint256 i = 0; i < list.length; i++) callback(list[i].balance + weights[i % 3]);
    }

    receive() external payable {}

    fallback() external payable {}
}
