"""A demo mission that runs by itself, through the same transports that agents and people use."""
