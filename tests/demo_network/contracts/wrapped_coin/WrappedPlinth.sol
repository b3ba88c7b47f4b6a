// SPDX-License-Identifier: Apache-2.0
pragma solidity ^0.4.26;

/// @title Wrapped PLT, the network's coin as an ERC-20 token
/// @notice One WPLT is always backed by one PLT held here: coins go in by `deposit`, out by `withdraw`.
contract WrappedPlinth {
    string public constant name = "Wrapped PLT";
    string public constant symbol = "WPLT";
    uint8 public constant decimals = 18;

    mapping(address => uint256) public balanceOf;
    mapping(address => mapping(address => uint256)) public allowance;

    event Transfer(address indexed from, address indexed to, uint256 value);
    event Approval(address indexed owner, address indexed spender, uint256 value);
    event Deposit(address indexed account, uint256 value);
    event Withdrawal(address indexed account, uint256 value);

    /// @notice Coins sent without a call are wrapped for the sender.
    function () public payable {
        deposit();
    }

    /// @notice Wraps the coins that come with the call.
    function deposit() public payable {
        balanceOf[msg.sender] += msg.value;
        emit Deposit(msg.sender, msg.value);
        emit Transfer(address(0), msg.sender, msg.value);
    }

    /// @notice Takes back coins for the caller's own tokens.
    /// @param value the amount, in the smallest unit (10^-18 PLT).
    function withdraw(uint256 value) public {
        require(balanceOf[msg.sender] >= value, "WPLT: more than the balance");
        balanceOf[msg.sender] -= value;
        emit Transfer(msg.sender, address(0), value);
        emit Withdrawal(msg.sender, value);
        msg.sender.transfer(value);
    }

    /// @notice The tokens in existence, which is the coins held here.
    function totalSupply() public view returns (uint256) {
        return address(this).balance;
    }

    /// @notice Lets `spender` move up to `value` of the caller's tokens.
    function approve(address spender, uint256 value) public returns (bool) {
        allowance[msg.sender][spender] = value;
        emit Approval(msg.sender, spender, value);
        return true;
    }

    /// @notice Moves the caller's tokens.
    function transfer(address to, uint256 value) public returns (bool) {
        return _move(msg.sender, to, value);
    }

    /// @notice Moves another account's tokens within the allowance; an allowance of 2^256-1 is never used up.
    function transferFrom(address from, address to, uint256 value) public returns (bool) {
        if (from != msg.sender && allowance[from][msg.sender] != uint256(-1)) {
            require(allowance[from][msg.sender] >= value, "WPLT: more than the allowance");
            allowance[from][msg.sender] -= value;
        }
        return _move(from, to, value);
    }

    function _move(address from, address to, uint256 value) internal returns (bool) {
        require(to != address(0), "WPLT: to nobody");
        require(balanceOf[from] >= value, "WPLT: more than the balance");
        balanceOf[from] -= value;
        balanceOf[to] += value;
        emit Transfer(from, to, value);
        return true;
    }
}
