"""The commands: arguments in, exit status out, no policy."""
