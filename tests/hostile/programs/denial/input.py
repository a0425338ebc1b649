# attack: waits for input that never comes
answer = input("your name? ")
