"""How Outlast is put on machines."""
