"""Records are compiled again with the compilers of this machine (`check --recompile`)."""
