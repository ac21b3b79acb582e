"""Past changes judged as if their authors had left the specs alone, and what that says of the checker. Pure."""
