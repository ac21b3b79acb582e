"""How git is run, and what its answers mean: for `repository` alone."""
