"""What scripts and notebooks use: protocols loaded and asked, results as frozen objects."""
