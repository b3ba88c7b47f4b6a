"""What has changed since the last build, and why it is built again."""
