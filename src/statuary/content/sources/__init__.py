"""What people write: one model per kind of source file, and its way into the domain."""
