// SPDX-License-Identifier: Apache-2.0
pragma solidity ^0.8.30;

import {FixedPoint} from "./FixedPoint.sol";

/// @title How much staking earns
/// @notice The yearly rate falls as more coins are staked: with the square root of the total.
library RewardSchedule {
    /// @notice The parameters of a schedule, with 18 decimal places.
    /// @param baseRate the yearly rate when exactly `referenceTotal` coins are staked.
    /// @param referenceTotal the total that the base rate is meant for.
    struct Schedule {
        uint256 baseRate;
        uint256 referenceTotal;
    }

    uint256 internal constant YEAR = 365 days;

    /// @notice The yearly rate while `total` is staked; never more than four times the base rate.
    function yearlyRate(Schedule memory schedule, uint256 total) public pure returns (uint256 rate) {
        uint256 most = 4 * schedule.baseRate;
        if (total == 0) return most;
        uint256 scarcity = FixedPoint.squareRoot(FixedPoint.divide(schedule.referenceTotal, total));
        rate = FixedPoint.multiply(schedule.baseRate, scarcity);
        if (rate > most) rate = most;
    }

    /// @notice What one staked coin earns in `elapsed` seconds, with 18 decimal places.
    function earnedPerCoin(Schedule memory schedule, uint256 total, uint256 elapsed)
        external
        pure
        returns (uint256)
    {
        return (yearlyRate(schedule, total) * elapsed) / YEAR;
    }
}
