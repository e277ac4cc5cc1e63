"""The public face of Outlast: publish outputs, follow tasks, read assets."""
