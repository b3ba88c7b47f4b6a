// No licence, and pragmas in an order that nobody writes.
pragma abicoder v2;
pragma solidity >=0.8.0;

type Price is uint128;
struct Pair { Price low; Price high; }
error TooLow(Price price, Pair allowed);
function add(Price a, Price b) pure returns (Price) { return Price.wrap(Price.unwrap(a) + Price.unwrap(b)); }
uint constant TWICE = 2 * 21;

interface Priced { function price() external view returns (Price); event Priced_(Price indexed price, bytes note) anonymous; }
abstract contract Base is Priced {
    Price internal immutable FIRST;
    constructor(Price first) { FIRST = first; }
    modifier paid() virtual { _; }
    function step() internal view virtual returns (Price);
}
/* abstract contract Ghost { */ contract
    // contract Ghost is Base(Price.wrap(1)) {
    $_hop is Base(Price.wrap(7))
{
    using {add} for Price;
    uint[TWICE] private cells;
    mapping(address owner => mapping(uint id => bytes32)) public held;
    function(uint) external returns (bytes4) public hook;
    bytes4 public immutable KIND = type(Priced).interfaceId;
    string public greeting = unicode"Grüße, 世界 😀";
    constructor() payable {}
    function price() external view override returns (Price) { return FIRST.add(step()); }
    function step() internal view override paid returns (Price) { return Price.wrap(uint128(cells[3])); }
    function set(uint at, uint value) external virtual { if (value == 0) revert TooLow(FIRST, Pair(FIRST, FIRST)); cells[at] = value; }
    receive() external payable {}
    fallback(bytes calldata data) external payable returns (bytes memory) { return data; }
}
