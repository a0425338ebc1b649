# attack: floods standard output
# limit: output_kb
while True:
    print("x" * 10000)
