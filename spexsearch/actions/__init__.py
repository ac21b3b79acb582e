"""The parts of the GitHub Action: what is asked, what happened, what to judge, and where the result goes."""
