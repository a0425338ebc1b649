# attack: loops for ever in the answer cell
# limit: cell_seconds
while True:
    pass
