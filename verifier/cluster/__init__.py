"""Spark, embedded or on a cluster: whether it can run here, its start and its end."""
