"""The proof of a record: its checks, and its six claims."""
