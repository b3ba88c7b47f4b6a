"""What it takes to read a published site: the methods that every place has, folders, HTTP, media types."""
