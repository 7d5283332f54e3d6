"""The presentation of results: tables, diagrams, pages and JSON. Nothing here computes a verdict."""
