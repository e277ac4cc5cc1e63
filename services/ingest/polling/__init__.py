"""Asking providers about jobs: which and how often, what they say, and what follows from it."""
