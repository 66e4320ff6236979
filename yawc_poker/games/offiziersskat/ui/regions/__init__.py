"""The parts of the Offiziersskat screen. Pure."""
