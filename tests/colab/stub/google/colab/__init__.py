"""Stands for Colab's own package: it is imported before the first cell, and that is all the set-up
cell asks for.
"""
