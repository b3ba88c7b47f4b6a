// SPDX-License-Identifier: Apache-2.0
pragma solidity ^0.5.17;

/// @title The demo network's faucet
/// @notice Gives a fixed portion of PLT to anyone who asks, once per pause.
contract Faucet {
    address public keeper;
    uint256 public portion;
    uint256 public pause;
    mapping(address => uint256) public servedAt;

    event Served(address indexed visitor, uint256 value);
    event Refilled(address indexed donor, uint256 value);
    event PortionSet(uint256 portion, uint256 pause);

    modifier onlyKeeper() {
        require(msg.sender == keeper, "Faucet: only the keeper");
        _;
    }

    /// @param portion_ what a visitor gets, in the smallest unit (10^-18 PLT).
    /// @param pause_ how long a visitor waits for the next portion, in seconds.
    constructor(uint256 portion_, uint256 pause_) public payable {
        keeper = msg.sender;
        _set(portion_, pause_);
    }

    /// @notice Anyone may fill the faucet.
    function () external payable {
        emit Refilled(msg.sender, msg.value);
    }

    /// @notice Sends a portion to `visitor`, who may be someone with no coins to pay for the call.
    function serve(address payable visitor) external {
        require(now >= servedAt[visitor] + pause, "Faucet: come back later");
        require(address(this).balance >= portion, "Faucet: empty");
        servedAt[visitor] = now;
        emit Served(visitor, portion);
        (bool taken, ) = visitor.call.value(portion)("");
        require(taken, "Faucet: the visitor refuses coins");
    }

    /// @notice Changes the portion and the pause.
    function setPortion(uint256 portion_, uint256 pause_) external onlyKeeper {
        _set(portion_, pause_);
    }

    function _set(uint256 portion_, uint256 pause_) private {
        portion = portion_;
        pause = pause_;
        emit PortionSet(portion_, pause_);
    }
}
