"""Runs of one engine on one protocol, from options to a result that scripts, tables and reports read."""
