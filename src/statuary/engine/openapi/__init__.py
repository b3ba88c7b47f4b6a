"""The OpenAPI description of both APIs."""
