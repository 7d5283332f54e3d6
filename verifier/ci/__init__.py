"""Manifests: what a project expects of its protocols, checked as a job of continuous integration."""
