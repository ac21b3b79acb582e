"""Reports and results as text, one module a format. Pure."""
