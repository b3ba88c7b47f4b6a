"""Publishing into an object store: S3, Google Cloud Storage, Azure Blob Storage and compatible services."""
