"""The files in which other programs keep their configuration: edited in place, never rewritten."""
