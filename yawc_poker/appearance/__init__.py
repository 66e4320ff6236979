"""How a caller wants things shown: what they chose at `L`. Values; nothing here draws."""
