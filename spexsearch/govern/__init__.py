"""A change held against its specs."""
