pragma solidity >=0.6.0;

abstract
contract

Half { function whole() external virtual returns (uint256); }

interface	IFar { function whole() external returns (uint256); }

contract                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                            Far is Half { uint256 x; function whole() external override returns (uint256) { x += 1; return x; } }
