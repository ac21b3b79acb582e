"""A spec tree: text in, specs out. Knows no git and no ranking."""
