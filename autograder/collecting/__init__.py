"""Takes in what learning platforms deliver: reads it safely, finds out whose it is, repairs it and
files it."""
