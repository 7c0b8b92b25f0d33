"""Mission Control: the control room for AI coding agents."""

__version__ = "0.1.0"
