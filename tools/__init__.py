"""What keeps the project honest and is not installed with it: measuring, benchmarks, examples, how
the data was made.
"""
