"""Grades submissions: prepare (trusted), run (untrusted, behind walls), judge (trusted), record (trusted)."""
