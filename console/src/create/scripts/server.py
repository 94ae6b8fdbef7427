# Adds what its clients send, one line each, and ends when it has heard of all of them.
import socket
import sys

port, clients = int(sys.argv[1]), int(sys.argv[2])
listener = socket.create_server(("", port))
print(f"waiting for {clients} clients at port {port}", flush=True)
total = 0
for _ in range(clients):
    connection, _ = listener.accept()
    with connection:
        total += int(connection.makefile().readline())
        connection.sendall(f"{total}\n".encode())
print(f"the sum is {total}", flush=True)
