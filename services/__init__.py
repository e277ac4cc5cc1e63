"""The four services; none imports another."""
