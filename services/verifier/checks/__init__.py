"""The checks: one function each, in the order that `order` lists; only the probe runs them."""
