"""A folder of files with the verdicts that they must get, sent through the whole of Outlast."""
