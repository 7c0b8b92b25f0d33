"""Measures Mission Control beside its floors, in one run, as ratios."""
