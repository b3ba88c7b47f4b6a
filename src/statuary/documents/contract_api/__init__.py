"""The contract look-up of Sourcify's API v2 as documents."""
