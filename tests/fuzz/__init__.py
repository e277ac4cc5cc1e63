"""Generated links, heads and bodies against the real transfer, over real sockets."""
