"""A session with specifications that stays open: for editors, agents and scripts, on standard streams."""
