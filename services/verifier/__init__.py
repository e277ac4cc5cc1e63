"""The proof: shows that staged bytes are the promised media, or says why not."""
