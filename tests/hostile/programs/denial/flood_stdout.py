# attack: floods standard output
# level: 0
# limit: output_kb
while True:
    print("x" * 10000)
