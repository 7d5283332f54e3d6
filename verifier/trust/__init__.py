"""Traces and certificates: how they are written, and how they are checked before anything is claimed."""
