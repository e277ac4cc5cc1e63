"""Sources, names and certificates that go wrong on purpose, over real sockets on loopback."""
