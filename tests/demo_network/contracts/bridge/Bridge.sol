// SPDX-License-Identifier: Apache-2.0
pragma solidity ^0.8.30;

import {MerklePath} from "./MerklePath.sol";

/// @title The Plinth side of the bridge to other chains
/// @notice Coins leave by `send`; coins arrive by `claim` against a root that enough relayers have signed.
contract Bridge {
    using MerklePath for bytes32;

    /// @notice How the bridge is set up; it cannot be changed later.
    struct Setup {
        uint64 remoteChainId;
        uint16 threshold;
        uint256 smallest;
        address[] relayers;
    }

    /// @notice A transfer in either direction.
    struct Transfer {
        uint64 sourceChainId;
        uint64 nonce;
        address sender;
        address payable recipient;
        uint256 value;
        bytes memo;
    }

    /// @notice A relayer's signature, by EIP-2098: r, and s with the parity of v in its top bit.
    struct Signature {
        bytes32 r;
        bytes32 vs;
    }

    error TooSmall(uint256 value, uint256 smallest);
    error WrongChain(uint64 given, uint64 expected);
    error UnknownRoot(bytes32 root);
    error ClaimedBefore(bytes32 leaf);
    error NotARelayer(address signer);
    error SignersOutOfOrder(address previous, address next);
    error NotEnoughSignatures(uint256 given, uint256 threshold);
    error PaymentFailed(address recipient, uint256 value);

    event Sent(uint64 indexed nonce, address indexed sender, Transfer transfer);
    event Claimed(bytes32 indexed leaf, address indexed recipient, uint256 value);
    event RootConfirmed(bytes32 indexed root, uint64 firstNonce, uint64 lastNonce);

    uint64 public immutable remoteChainId;
    uint16 public immutable threshold;
    uint256 public immutable smallest;

    uint64 public nextNonce;
    mapping(address relayer => bool) public isRelayer;
    mapping(bytes32 root => bool) public isConfirmed;
    mapping(bytes32 leaf => bool) public isClaimed;

    constructor(Setup memory setup) payable {
        remoteChainId = setup.remoteChainId;
        threshold = setup.threshold;
        smallest = setup.smallest;
        for (uint256 i = 0; i < setup.relayers.length; ++i) isRelayer[setup.relayers[i]] = true;
    }

    /// @notice Locks the coins that come with the call and announces them to the other side.
    /// @param recipient who gets them there.
    /// @param memo anything the recipient should see, passed on as it is.
    function send(address payable recipient, bytes calldata memo) external payable returns (uint64 nonce) {
        if (msg.value < smallest) revert TooSmall(msg.value, smallest);
        nonce = nextNonce++;
        emit Sent(
            nonce,
            msg.sender,
            Transfer(uint64(block.chainid), nonce, msg.sender, recipient, msg.value, memo)
        );
    }

    /// @notice Confirms the root over the other side's transfers `firstNonce` to `lastNonce`.
    /// @param signatures of relayers, sorted by the relayers' addresses.
    function confirm(bytes32 root, uint64 firstNonce, uint64 lastNonce, Signature[] calldata signatures) external {
        if (signatures.length < threshold) revert NotEnoughSignatures(signatures.length, threshold);
        bytes32 digest = keccak256(abi.encode(block.chainid, address(this), root, firstNonce, lastNonce));
        address previous = address(0);
        for (uint256 i = 0; i < signatures.length; ++i) {
            address signer = _signer(digest, signatures[i]);
            if (!isRelayer[signer]) revert NotARelayer(signer);
            if (signer <= previous) revert SignersOutOfOrder(previous, signer);
            previous = signer;
        }
        isConfirmed[root] = true;
        emit RootConfirmed(root, firstNonce, lastNonce);
    }

    /// @notice Pays out a transfer that belongs to a confirmed root.
    /// @param index the transfer's place in the tree.
    /// @param siblings the path from it to the root, lowest first.
    function claim(Transfer calldata transfer, uint256 index, bytes32[] calldata siblings) external {
        if (transfer.sourceChainId != remoteChainId) revert WrongChain(transfer.sourceChainId, remoteChainId);
        bytes32 leaf = leafOf(transfer);
        bytes32 root = leaf.rootFrom(index, siblings);
        if (!isConfirmed[root]) revert UnknownRoot(root);
        if (isClaimed[leaf]) revert ClaimedBefore(leaf);
        isClaimed[leaf] = true;
        emit Claimed(leaf, transfer.recipient, transfer.value);
        (bool paid, ) = transfer.recipient.call{value: transfer.value}("");
        if (!paid) revert PaymentFailed(transfer.recipient, transfer.value);
    }

    /// @notice The leaf of a transfer in the tree; hashed twice, so that no leaf can pass for an inner node.
    function leafOf(Transfer calldata transfer) public pure returns (bytes32) {
        return keccak256(bytes.concat(keccak256(abi.encode(transfer))));
    }

    function _signer(bytes32 digest, Signature calldata signature) private pure returns (address) {
        bytes32 s = signature.vs & bytes32(uint256(type(int256).max));
        uint8 v = uint8((uint256(signature.vs) >> 255) + 27);
        return ecrecover(digest, v, signature.r, s);
    }
}
