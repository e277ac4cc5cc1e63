"""Measurements on real private servers, each against a figure to reach."""
