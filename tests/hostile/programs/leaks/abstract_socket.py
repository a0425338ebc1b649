# attack: connects to an abstract Unix socket of the machine
import socket
try:
    connection = socket.socket(socket.AF_UNIX)
    connection.connect("\0@ABSTRACT@")
    connection.sendall(b"CALLED HOME")
    print("CONNECTED", connection.recv(100))
except OSError as error:
    print("REFUSED", error)
