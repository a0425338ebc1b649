# attack: loops for ever in the answer cell
# level: 0
# limit: cell_seconds
while True:
    pass
