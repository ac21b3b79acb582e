"""Lexical retrieval over a spec tree. Knows no git and no diff."""
