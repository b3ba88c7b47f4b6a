// SPDX-License-Identifier: Apache-2.0
pragma solidity ^0.8.30;

/// @title A numbered edition of one work
/// @notice Meant to be cloned: the code stands here once, every clone has its own artist, title and copies.
contract Edition {
    error InitializedBefore();
    error SoldOut(uint256 size);
    error WrongPrice(uint256 given, uint256 price);
    error NotTheOwner(address caller, uint256 copy);
    error PaymentFailed(address to);

    event Initialized(address indexed artist, string title, uint256 size, uint256 price);
    event Transfer(address indexed from, address indexed to, uint256 indexed copy);
    event Entrusted(address indexed owner, address indexed to, uint256 indexed copy);

    address payable public artist;
    string public title;
    uint256 public size;
    uint256 public price;
    uint256 public minted;
    mapping(uint256 copy => address) public ownerOf;
    mapping(address owner => uint256) public balanceOf;
    /// @notice Who may give a copy away in its owner's place.
    mapping(uint256 copy => address) public trusteeOf;

    /// @dev The code itself is no edition: nobody may make it one.
    constructor() {
        artist = payable(address(0xdead));
    }

    /// @notice Makes a fresh clone an edition; once.
    function initialize(address payable artist_, string calldata title_, uint256 size_, uint256 price_) external {
        if (artist != address(0)) revert InitializedBefore();
        (artist, title, size, price) = (artist_, title_, size_, price_);
        emit Initialized(artist_, title_, size_, price_);
    }

    /// @notice Buys the next copy; copies are numbered from 1.
    function buy() external payable returns (uint256 copy) {
        if (minted == size) revert SoldOut(size);
        if (msg.value != price) revert WrongPrice(msg.value, price);
        copy = ++minted;
        ownerOf[copy] = msg.sender;
        ++balanceOf[msg.sender];
        emit Transfer(address(0), msg.sender, copy);
        (bool paid, ) = artist.call{value: msg.value}("");
        if (!paid) revert PaymentFailed(artist);
    }

    /// @notice Lets someone give the caller's copy away, or nobody.
    function entrust(address to, uint256 copy) external {
        if (ownerOf[copy] != msg.sender) revert NotTheOwner(msg.sender, copy);
        trusteeOf[copy] = to;
        emit Entrusted(msg.sender, to, copy);
    }

    /// @notice Gives a copy to someone else; its owner or their trustee may.
    function give(address to, uint256 copy) external {
        address owner = ownerOf[copy];
        if (msg.sender != owner && msg.sender != trusteeOf[copy]) revert NotTheOwner(msg.sender, copy);
        delete trusteeOf[copy];
        ownerOf[copy] = to;
        --balanceOf[owner];
        ++balanceOf[to];
        emit Transfer(owner, to, copy);
    }
}
