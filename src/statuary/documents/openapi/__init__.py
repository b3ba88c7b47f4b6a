"""The OpenAPI 3.1 document, made from the URL table and the shapes of the documents."""
