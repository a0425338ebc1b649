# attack: connects to a port of the machine and to the world
import socket
for address in (("127.0.0.1", @TCP@), ("1.1.1.1", 53), ("localhost", @TCP@)):
    try:
        connection = socket.create_connection(address, timeout=1)
        connection.sendall(b"CALLED HOME")
        print("CONNECTED", connection.recv(100))
    except OSError as error:
        print("REFUSED", error)
