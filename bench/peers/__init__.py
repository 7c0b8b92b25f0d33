"""Mission Control next to other task servers for agents, in one run."""
