// SPDX-License-Identifier: Apache-2.0
pragma solidity ^0.8.30;

/// @title Splits the earnings of the network
/// @notice The version of the launch, before the comments were gone over.
contract RevenueSplitter {
    struct Share {
        address payable beneficiary;
        uint16 basisPoints;
    }

    error SharesDoNotAddUp(uint256 basisPoints);
    error NothingDue(address beneficiary);
    error PaymentFailed(address beneficiary);

    event Received(address indexed from, uint256 value);
    event Paid(address indexed beneficiary, uint256 value);

    uint256 public totalPaid;
    mapping(address beneficiary => uint16) public basisPointsOf;
    mapping(address beneficiary => uint256) public paidTo;

    constructor(Share[] memory shares) payable {
        uint256 sum;
        for (uint256 i = 0; i < shares.length; ++i) {
            basisPointsOf[shares[i].beneficiary] += shares[i].basisPoints;
            sum += shares[i].basisPoints;
        }
        if (sum != 10_000) revert SharesDoNotAddUp(sum);
    }

    receive() external payable {
        emit Received(msg.sender, msg.value);
    }

    /// @notice What a beneficiary can take now.
    function due(address beneficiary) public view returns (uint256) {
        uint256 received = address(this).balance + totalPaid;
        return (received * basisPointsOf[beneficiary]) / 10_000 - paidTo[beneficiary];
    }

    /// @notice Pays a beneficiary; anyone may call it.
    function pay(address payable beneficiary) external {
        uint256 value = due(beneficiary);
        if (value == 0) revert NothingDue(beneficiary);
        paidTo[beneficiary] += value;
        totalPaid += value;
        emit Paid(beneficiary, value);
        (bool paid, ) = beneficiary.call{value: value}("");
        if (!paid) revert PaymentFailed(beneficiary);
    }
}
