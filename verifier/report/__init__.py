"""How results look: tables, traces and JSON. Nothing here computes a verdict."""
