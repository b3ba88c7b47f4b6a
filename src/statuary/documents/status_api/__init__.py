"""The public status API of Statuspage v2 as documents."""
