// SPDX-License-Identifier: Apache-2.0
pragma solidity ^0.6.12;
pragma experimental ABIEncoderV2;

import "./Labels.sol";

/// @title Names for the works, rooms and people of the network — `venus-of-cubes.plinth`
/// @notice A name is rented by the year. It points at an account and may carry texts (artist, year, material …).
/// @author The Plinth foundation, Zürich · Αθήνα · 東京
contract NameRegistry {
    struct Entry {
        address holder;
        address target;
        uint64 expires;
    }

    struct Text {
        string key;
        string value;
    }

    uint256 public constant GRACE = 90 days;

    address payable public immutable treasury;
    uint256 public immutable yearlyRent;

    mapping(bytes32 => Entry) private entries;
    mapping(bytes32 => mapping(string => string)) private texts;

    event Registered(bytes32 indexed node, string label, address indexed holder, uint64 expires);
    event Renewed(bytes32 indexed node, uint64 expires);
    event Pointed(bytes32 indexed node, address indexed target);
    event Handed(bytes32 indexed node, address indexed from, address indexed to);
    event TextSet(bytes32 indexed node, string key, string value);

    modifier onlyHolder(bytes32 node) {
        require(entries[node].holder == msg.sender && entries[node].expires >= now, "Names: not the holder");
        _;
    }

    /// @param treasury_ where rents go.
    /// @param yearlyRent_ the rent of a name for 365 days, in the smallest unit (10^-18 PLT).
    constructor(address payable treasury_, uint256 yearlyRent_) public {
        treasury = treasury_;
        yearlyRent = yearlyRent_;
    }

    /// @notice The key that a label is stored under.
    function nodeOf(string memory label) public pure returns (bytes32) {
        return keccak256(bytes(label));
    }

    /// @notice Whether a label can be rented now: free, or expired for longer than the grace period.
    function isFree(string memory label) public view returns (bool) {
        uint256 expires = entries[nodeOf(label)].expires;
        return Labels.isValid(bytes(label)) && (expires == 0 || now > expires + GRACE);
    }

    /// @notice Rents a free label for whole years; the rent comes with the call, exactly.
    function register(string calldata label, uint256 numberOfYears) external payable {
        require(isFree(label), "Names: not free");
        bytes32 node = nodeOf(label);
        uint64 expires = _paidUntil(now, numberOfYears);
        entries[node] = Entry({holder: msg.sender, target: msg.sender, expires: expires});
        emit Registered(node, label, msg.sender, expires);
        treasury.transfer(msg.value);
    }

    /// @notice Prolongs a name; anyone may pay for it, also within the grace period.
    function renew(bytes32 node, uint256 numberOfYears) external payable {
        Entry storage entry = entries[node];
        require(entry.expires != 0 && now <= entry.expires + GRACE, "Names: nothing to renew");
        entry.expires = _paidUntil(entry.expires, numberOfYears);
        emit Renewed(node, entry.expires);
        treasury.transfer(msg.value);
    }

    /// @notice Lets a name point at another account.
    function point(bytes32 node, address target) external onlyHolder(node) {
        entries[node].target = target;
        emit Pointed(node, target);
    }

    /// @notice Gives a name to someone else.
    function hand(bytes32 node, address to) external onlyHolder(node) {
        entries[node].holder = to;
        emit Handed(node, msg.sender, to);
    }

    /// @notice Writes texts of a name, all at once.
    function setTexts(bytes32 node, Text[] calldata changes) external onlyHolder(node) {
        for (uint256 i = 0; i < changes.length; i++) {
            texts[node][changes[i].key] = changes[i].value;
            emit TextSet(node, changes[i].key, changes[i].value);
        }
    }

    /// @notice Everything known of a name, whether or not it has expired.
    function entryOf(string calldata label) external view returns (Entry memory) {
        return entries[nodeOf(label)];
    }

    /// @notice The account that a name points at.
    function resolve(string calldata label) external view returns (address) {
        Entry storage entry = entries[nodeOf(label)];
        require(entry.expires >= now, "Names: unknown or expired");
        return entry.target;
    }

    /// @notice A text of a name, empty if it was never set.
    function text(bytes32 node, string calldata key) external view returns (string memory) {
        return texts[node][key];
    }

    function _paidUntil(uint256 from, uint256 numberOfYears) private view returns (uint64) {
        require(numberOfYears >= 1 && numberOfYears <= 10, "Names: 1 to 10 years");
        require(msg.value == yearlyRent * numberOfYears, "Names: wrong rent");
        return uint64(from + numberOfYears * 365 days);
    }
}
