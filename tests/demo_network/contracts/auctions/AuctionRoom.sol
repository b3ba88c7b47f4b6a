// SPDX-License-Identifier: Apache-2.0
pragma solidity ^0.8.30;

interface IEdition {
    function ownerOf(uint256 copy) external view returns (address);
    function give(address to, uint256 copy) external;
}

/// @title Auctions of single copies of an edition
/// @notice The room keeps the copy until the hammer falls; then the highest bidder gets it and the seller the coins.
///         Whoever was outbid takes the coins back by `takeBack`.
contract AuctionRoom {
    struct Lot {
        IEdition edition;
        uint256 copy;
        address seller;
        uint64 endsAt;
        bool settled;
        address highestBidder;
        uint256 highestBid;
        uint256 reserve;
    }

    error RoomBusy(uint256 lot, address forWhom);
    error NotTheOwner(address caller);
    error AuctionOver(uint256 lot, uint64 endsAt);
    error AuctionRunning(uint256 lot, uint64 endsAt);
    error BidTooLow(uint256 bid, uint256 least);
    error SettledBefore(uint256 lot);
    error NothingToTake(address caller);
    error PaymentFailed(address to, uint256 value);

    event Opened(uint256 indexed lot, IEdition indexed edition, uint256 indexed copy, uint256 reserve, uint64 endsAt);
    event Bid(uint256 indexed lot, address indexed bidder, uint256 value);
    event Settled(uint256 indexed lot, address indexed winner, uint256 value);

    /// @notice A bid in the last minutes prolongs the auction to as long again.
    uint64 public constant EXTENSION = 10 minutes;

    /// @dev What the running transaction deals with; gone when it ends (EIP-1153), so the lock costs no storage.
    bool private transient locked;
    address private transient forWhom;
    uint256 private transient openLot;

    uint256 public lotCount;
    mapping(uint256 lot => Lot) public lots;
    /// @notice What the outbid and the sellers can take.
    mapping(address account => uint256) public due;

    modifier locks(uint256 lot) {
        if (locked) revert RoomBusy(openLot, forWhom);
        (locked, forWhom, openLot) = (true, msg.sender, lot);
        _;
        (locked, forWhom, openLot) = (false, address(0), 0);
    }

    /// @notice Opens an auction of a copy that the caller owns and has entrusted to the room.
    /// @param reserve the least bid, in the smallest unit (10^-18 PLT).
    /// @param duration in seconds.
    function open(IEdition edition, uint256 copy, uint256 reserve, uint64 duration)
        external
        locks(lotCount + 1)
        returns (uint256 lot)
    {
        if (edition.ownerOf(copy) != msg.sender) revert NotTheOwner(msg.sender);
        lot = ++lotCount;
        uint64 endsAt = uint64(block.timestamp) + duration;
        lots[lot] = Lot(edition, copy, msg.sender, endsAt, false, address(0), 0, reserve);
        emit Opened(lot, edition, copy, reserve, endsAt);
        edition.give(address(this), copy);
    }

    /// @notice Bids the coins that come with the call: the reserve at least, and a twentieth more than the bid before.
    function bid(uint256 lot) external payable locks(lot) {
        Lot storage it = lots[lot];
        if (block.timestamp >= it.endsAt) revert AuctionOver(lot, it.endsAt);
        uint256 least = it.highestBid == 0 ? it.reserve : it.highestBid + it.highestBid / 20;
        if (msg.value == 0 || msg.value < least) revert BidTooLow(msg.value, least);
        due[it.highestBidder] += it.highestBid;
        (it.highestBidder, it.highestBid) = (msg.sender, msg.value);
        if (it.endsAt - block.timestamp < EXTENSION) it.endsAt = uint64(block.timestamp) + EXTENSION;
        emit Bid(lot, msg.sender, msg.value);
    }

    /// @notice Hands out copy and coins when the auction is over; without a bid, the seller gets the copy back.
    function settle(uint256 lot) external locks(lot) {
        Lot storage it = lots[lot];
        if (block.timestamp < it.endsAt) revert AuctionRunning(lot, it.endsAt);
        if (it.settled) revert SettledBefore(lot);
        it.settled = true;
        due[it.seller] += it.highestBid;
        address winner = it.highestBid == 0 ? it.seller : it.highestBidder;
        emit Settled(lot, winner, it.highestBid);
        it.edition.give(winner, it.copy);
    }

    /// @notice Pays the caller what is due to them.
    function takeBack() external {
        uint256 value = due[msg.sender];
        if (value == 0) revert NothingToTake(msg.sender);
        due[msg.sender] = 0;
        (bool paid, ) = msg.sender.call{value: value}("");
        if (!paid) revert PaymentFailed(msg.sender, value);
    }
}
