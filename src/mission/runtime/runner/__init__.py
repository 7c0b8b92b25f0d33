"""The process beside each launched program: it holds the program's pipes or terminal while daemons come and go.

Standard library only: there is one of these per launched agent.
"""
