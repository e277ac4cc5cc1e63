"""The demonstration: a provider with short-lived links, media made on the spot, and a proof at the end."""
