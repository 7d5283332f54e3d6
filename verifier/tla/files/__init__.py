"""The states of a search in temporary files, because memory is too small for them."""
