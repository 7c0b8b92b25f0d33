"""Configuration files of other programs: edited in place, never rewritten."""
