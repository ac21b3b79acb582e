"""The languages: which grammar, which definitions, which tokens: for `units` and `significance`."""
