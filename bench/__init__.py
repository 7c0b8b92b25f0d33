"""Benchmarks that compare Mission Control with its lower bounds, in one run, as ratios."""
