"""Benchmarks: each prints ratios that were measured side by side in one run."""
