# Sends a number to the server; it may be up before that is.
import socket
import sys
import time

host, port = sys.argv[1].rsplit(":", 1)
while True:
    try:
        connection = socket.create_connection((host, int(port)))
        break
    except OSError:
        time.sleep(0.2)
connection.sendall(b"21\n")
print("the sum so far:", connection.makefile().readline().strip(), flush=True)
