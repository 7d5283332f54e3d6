"""Recorded executions against a specification: which of them it allows, and where and why not."""
