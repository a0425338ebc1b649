# attack: opens sockets of other families
import socket
for family in (40, 17, 16, 38, 44):
    try:
        socket.socket(family, socket.SOCK_STREAM if family == 40 else socket.SOCK_RAW)
        print("OPENED", family)
    except OSError as error:
        print("REFUSED", family, error)
