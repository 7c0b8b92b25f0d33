"""The process next to each launched program: it holds the program's pipes or terminal across daemon restarts.

Standard library only: there is one of these per launched agent.
"""
