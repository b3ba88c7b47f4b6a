"""What is served, as an OpenAPI 3.1 document made of the table of URLs and the shapes of the documents."""
