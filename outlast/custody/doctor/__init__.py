"""The store doctor: how a store behaves and how a stack stands, and what each finding means for Outlast."""
