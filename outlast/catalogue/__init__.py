"""What Outlast knows of providers, in words for people: for the documentation, and for the command."""
