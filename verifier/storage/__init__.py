"""Files that last: columns of words with checksums, and the folder of an exploration."""
