"""Runs: one engine on one protocol, from options to an object that scripts, tables and reports read."""
