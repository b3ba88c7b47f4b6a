// SPDX-License-Identifier: Apache-2.0
pragma solidity ^0.8.30;

/// @title A delay between deciding and doing
/// @notice The proposer queues a call; everyone can see it for at least the delay; then anyone may carry it out.
contract Timelock {
    /// @notice A call, and the salt that tells two equal calls apart.
    struct Operation {
        address target;
        uint256 value;
        bytes data;
        bytes32 salt;
    }

    enum State {
        Unknown,
        Waiting,
        Ready,
        Expired,
        Done
    }

    error NotProposer(address caller);
    error NotGuardian(address caller);
    error DelayTooShort(uint256 delay, uint256 minimum);
    error WrongState(bytes32 id, State state);
    error CallFailed(bytes32 id, bytes reason);

    event Queued(bytes32 indexed id, Operation operation, uint256 readyAt);
    event Cancelled(bytes32 indexed id, address indexed by);
    event Executed(bytes32 indexed id, bytes result);

    /// @notice How long an operation that is ready stays so.
    uint256 public constant GRACE = 14 days;

    address public immutable proposer;
    address public immutable guardian;
    uint256 public immutable minimumDelay;

    mapping(bytes32 id => uint256 readyAt) public readyAt;
    mapping(bytes32 id => bool) public isDone;

    /// @param proposer_ who may queue.
    /// @param guardian_ who may cancel, besides the proposer.
    /// @param minimumDelay_ the shortest delay, in seconds.
    constructor(address proposer_, address guardian_, uint256 minimumDelay_) payable {
        proposer = proposer_;
        guardian = guardian_;
        minimumDelay = minimumDelay_;
    }

    receive() external payable {}

    /// @notice The id of an operation: the hash of all its parts.
    function idOf(Operation calldata operation) public pure returns (bytes32) {
        return keccak256(abi.encode(operation));
    }

    /// @notice Where an operation stands now.
    function stateOf(bytes32 id) public view returns (State) {
        if (isDone[id]) return State.Done;
        uint256 from = readyAt[id];
        if (from == 0) return State.Unknown;
        if (block.timestamp < from) return State.Waiting;
        return block.timestamp <= from + GRACE ? State.Ready : State.Expired;
    }

    /// @notice Queues an operation that may be carried out after `delay` seconds.
    function queue(Operation calldata operation, uint256 delay) external returns (bytes32 id) {
        if (msg.sender != proposer) revert NotProposer(msg.sender);
        if (delay < minimumDelay) revert DelayTooShort(delay, minimumDelay);
        id = idOf(operation);
        _require(id, State.Unknown);
        readyAt[id] = block.timestamp + delay;
        emit Queued(id, operation, readyAt[id]);
    }

    /// @notice Withdraws an operation that has not been carried out.
    function cancel(bytes32 id) external {
        if (msg.sender != guardian && msg.sender != proposer) revert NotGuardian(msg.sender);
        State state = stateOf(id);
        if (state == State.Unknown || state == State.Done) revert WrongState(id, state);
        delete readyAt[id];
        emit Cancelled(id, msg.sender);
    }

    /// @notice Carries out an operation that is ready.
    function execute(Operation calldata operation) external payable returns (bytes memory result) {
        bytes32 id = idOf(operation);
        _require(id, State.Ready);
        isDone[id] = true;
        bool success;
        (success, result) = operation.target.call{value: operation.value}(operation.data);
        if (!success) revert CallFailed(id, result);
        emit Executed(id, result);
    }

    function _require(bytes32 id, State expected) private view {
        State state = stateOf(id);
        if (state != expected) revert WrongState(id, state);
    }
}
