"""Bytecode: transformations, auxdata, references, matching, proxies."""
