"""Tests of an implementation, made from executions of its specification."""
