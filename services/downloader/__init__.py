"""The transfer: brings the bytes behind a source into a staging object before the link dies."""
