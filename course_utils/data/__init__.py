"""The data of the lectures, one module per data set: drawn from a seeded generator, or shipped
beside it."""
