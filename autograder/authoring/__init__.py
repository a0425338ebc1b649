"""For authors: notebooks from their text, releases, what students get, the bank of attempts,
simulated classes."""
