"""The API of scripts and notebooks: protocols that are loaded and asked, results as frozen objects."""
