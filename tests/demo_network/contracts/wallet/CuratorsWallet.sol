// SPDX-License-Identifier: Apache-2.0
pragma solidity ^0.6.12;

/// @title A wallet that acts when enough of its curators agree
/// @notice A curator proposes a call, others confirm it, and the confirmation that completes the quorum runs it.
contract CuratorsWallet {
    struct Proposal {
        address target;
        uint256 value;
        bytes data;
        uint256 confirmations;
        bool done;
    }

    address[] public curators;
    uint256 public quorum;
    mapping(address => bool) public isCurator;

    Proposal[] public proposals;
    mapping(uint256 => mapping(address => bool)) public hasConfirmed;

    event Received(address indexed from, uint256 value);
    event Proposed(uint256 indexed id, address indexed curator, address target, uint256 value, bytes data);
    event Confirmed(uint256 indexed id, address indexed curator);
    event Revoked(uint256 indexed id, address indexed curator);
    event Done(uint256 indexed id, bytes result);
    event CuratorsChanged(address[] curators, uint256 quorum);

    modifier onlyCurator() {
        require(isCurator[msg.sender], "Wallet: only curators");
        _;
    }

    /// @param curators_ who may propose and confirm; no one twice.
    /// @param quorum_ how many of them must agree.
    constructor(address[] memory curators_, uint256 quorum_) public payable {
        _appoint(curators_, quorum_);
    }

    receive() external payable {
        emit Received(msg.sender, msg.value);
    }

    /// @notice Proposes a call and confirms it for the caller.
    /// @return id the number to confirm it by.
    function propose(address target, uint256 value, bytes calldata data) external onlyCurator returns (uint256 id) {
        id = proposals.length;
        proposals.push(Proposal({target: target, value: value, data: data, confirmations: 0, done: false}));
        emit Proposed(id, msg.sender, target, value, data);
        confirm(id);
    }

    /// @notice Agrees to a proposal; it runs at once when the quorum is reached.
    function confirm(uint256 id) public onlyCurator {
        Proposal storage proposal = _open(id);
        require(!hasConfirmed[id][msg.sender], "Wallet: confirmed before");
        hasConfirmed[id][msg.sender] = true;
        proposal.confirmations += 1;
        emit Confirmed(id, msg.sender);
        if (proposal.confirmations >= quorum) _run(id, proposal);
    }

    /// @notice Takes back one's agreement to a proposal that has not run.
    function revoke(uint256 id) external onlyCurator {
        Proposal storage proposal = _open(id);
        require(hasConfirmed[id][msg.sender], "Wallet: not confirmed");
        hasConfirmed[id][msg.sender] = false;
        proposal.confirmations -= 1;
        emit Revoked(id, msg.sender);
    }

    /// @notice Replaces all curators and the quorum; only the wallet itself may, that is, by a proposal.
    function appoint(address[] calldata curators_, uint256 quorum_) external {
        require(msg.sender == address(this), "Wallet: only by a proposal");
        for (uint256 i = 0; i < curators.length; i++) isCurator[curators[i]] = false;
        delete curators;
        _appoint(curators_, quorum_);
    }

    function _open(uint256 id) private view returns (Proposal storage proposal) {
        require(id < proposals.length, "Wallet: no such proposal");
        proposal = proposals[id];
        require(!proposal.done, "Wallet: done before");
    }

    function _run(uint256 id, Proposal storage proposal) private {
        proposal.done = true;
        (bool success, bytes memory result) = proposal.target.call{value: proposal.value}(proposal.data);
        require(success, "Wallet: the call failed");
        emit Done(id, result);
    }

    function _appoint(address[] memory curators_, uint256 quorum_) private {
        require(quorum_ >= 1 && quorum_ <= curators_.length, "Wallet: impossible quorum");
        for (uint256 i = 0; i < curators_.length; i++) {
            require(curators_[i] != address(0) && !isCurator[curators_[i]], "Wallet: nobody, or someone twice");
            isCurator[curators_[i]] = true;
            curators.push(curators_[i]);
        }
        quorum = quorum_;
        emit CuratorsChanged(curators_, quorum_);
    }
}
