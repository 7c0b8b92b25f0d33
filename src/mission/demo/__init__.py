"""A mission that plays itself, through the same doors that agents and people use."""
