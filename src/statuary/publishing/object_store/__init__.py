"""A site in an object store: S3, Google Cloud Storage, Azure Blob Storage, and what speaks like them."""
