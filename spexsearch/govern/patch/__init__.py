"""Unified diffs as text, taken apart: for `diff` alone."""
