"""Mission Control: the control room for AI coding agents."""

__version__ = "0.2.0"
