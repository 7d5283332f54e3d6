"""Sweeps: many runs, over constants, properties and engines, and where their rows are kept.

Only ``spark`` imports pyspark, and only ``store`` imports pyarrow.
"""
