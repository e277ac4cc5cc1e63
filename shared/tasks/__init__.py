"""Tasks: claims and leases, the records of what became of a claim, and the announcements."""
