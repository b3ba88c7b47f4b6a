"""What has changed since the last build and is rebuilt, and why."""
