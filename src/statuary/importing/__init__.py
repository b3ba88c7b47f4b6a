"""Readers of other systems that write content: what compilers, tool chains and nodes say of a contract."""
