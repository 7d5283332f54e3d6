"""Sweeps: many runs, over constants, properties and engines, and where their rows are kept.

Only ``spark`` and ``summary`` import pyspark, and only ``store`` imports pyarrow.
"""
