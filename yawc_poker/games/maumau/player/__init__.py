"""The house player of Mau-Mau: what it knows of the hidden cards, its rules of thumb, and its playouts. Pure."""
