# attack: sends a packet to a port of the machine
import socket
try:
    socket.socket(socket.AF_INET, socket.SOCK_DGRAM).sendto(b"CALLED HOME", ("127.0.0.1", @UDP@))
except OSError as error:
    print("REFUSED", error)
