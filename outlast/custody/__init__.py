"""What is kept: bytes that were refused, for as long as they stay, and stored assets that are looked at again."""
