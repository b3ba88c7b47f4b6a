// SPDX-License-Identifier: Apache-2.0
pragma solidity ^0.8.30;

import {FixedPoint} from "./FixedPoint.sol";
import {RewardSchedule} from "./RewardSchedule.sol";

/// @title Staking PLT behind the network's block producers
/// @notice Coins earn while they are staked; leaving takes the unbonding time, in which they earn nothing.
contract Staking {
    struct Position {
        uint256 staked;
        uint256 leaving;
        uint256 leavesAt;
        uint256 earned;
        uint256 indexPaid;
    }

    error NothingSent();
    error MoreThanStaked(uint256 asked, uint256 staked);
    error StillLeaving(uint256 until);
    error NothingToTake(address account);
    error TransferFailed(address to, uint256 value);

    event Staked(address indexed account, address indexed producer, uint256 value);
    event Left(address indexed account, uint256 value, uint256 availableAt);
    event Taken(address indexed account, uint256 value);
    event RewardsFunded(address indexed donor, uint256 value);

    uint256 public immutable unbonding;
    RewardSchedule.Schedule public schedule;

    uint256 public total;
    uint256 public rewardPot;
    /// @notice What one coin staked since the start has earned, with 18 decimal places.
    uint256 public index;
    uint256 public indexedAt;

    mapping(address account => Position) public positions;
    mapping(address account => address) public producerOf;

    /// @param unbonding_ how long leaving takes, in seconds.
    /// @param baseRate see RewardSchedule.
    /// @param referenceTotal see RewardSchedule.
    constructor(uint256 unbonding_, uint256 baseRate, uint256 referenceTotal) payable {
        unbonding = unbonding_;
        schedule = RewardSchedule.Schedule(baseRate, referenceTotal);
        indexedAt = block.timestamp;
        rewardPot = msg.value;
    }

    /// @notice Adds coins that rewards are paid from.
    function fund() external payable {
        rewardPot += msg.value;
        emit RewardsFunded(msg.sender, msg.value);
    }

    /// @notice Stakes the coins that come with the call, behind `producer`.
    function stake(address producer) external payable {
        if (msg.value == 0) revert NothingSent();
        Position storage position = _settle(msg.sender);
        position.staked += msg.value;
        total += msg.value;
        producerOf[msg.sender] = producer;
        emit Staked(msg.sender, producer, msg.value);
    }

    /// @notice Begins to leave with `value` coins; leaving again begins the unbonding time anew.
    function leave(uint256 value) external {
        Position storage position = _settle(msg.sender);
        if (value > position.staked) revert MoreThanStaked(value, position.staked);
        position.staked -= value;
        position.leaving += value;
        position.leavesAt = block.timestamp + unbonding;
        total -= value;
        emit Left(msg.sender, value, position.leavesAt);
    }

    /// @notice Takes the coins whose unbonding is over, and the rewards as far as the pot goes.
    function take() external {
        Position storage position = _settle(msg.sender);
        if (position.leaving != 0 && block.timestamp < position.leavesAt) revert StillLeaving(position.leavesAt);
        uint256 reward = position.earned < rewardPot ? position.earned : rewardPot;
        uint256 value = position.leaving + reward;
        if (value == 0) revert NothingToTake(msg.sender);
        position.leaving = 0;
        position.earned -= reward;
        rewardPot -= reward;
        emit Taken(msg.sender, value);
        (bool taken, ) = msg.sender.call{value: value}("");
        if (!taken) revert TransferFailed(msg.sender, value);
    }

    /// @notice The yearly rate now, with 18 decimal places.
    function currentRate() external view returns (uint256) {
        return RewardSchedule.yearlyRate(schedule, total);
    }

    function _settle(address account) private returns (Position storage position) {
        index += RewardSchedule.earnedPerCoin(schedule, total, block.timestamp - indexedAt);
        indexedAt = block.timestamp;
        position = positions[account];
        position.earned += FixedPoint.multiply(position.staked, index - position.indexPaid);
        position.indexPaid = index;
    }
}
