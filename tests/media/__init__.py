"""Media made on the spot, good ones and damaged ones, as bytes."""
