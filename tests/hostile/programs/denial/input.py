# attack: waits for input that never comes
# level: 0
answer = input("your name? ")
