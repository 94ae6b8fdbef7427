"""What `trainyard demo` runs without PyTorch: processes learn together which points lie in a circle."""
import json
import math
import os
import random
import socket
import sys
import time

steps = int(sys.argv[1])
rank, world = int(os.environ["RANK"]), int(os.environ["WORLD_SIZE"])
address = os.environ["MASTER_ADDR"], int(os.environ["MASTER_PORT"])
HIDDEN = 12


def meet():
    """Connections to the others: of the first process to all, of each other one to the first."""
    if world == 1:
        return []
    if rank == 0:
        with socket.create_server(address, backlog=world) as server:
            return [server.accept()[0].makefile("rw") for _ in range(world - 1)]
    deadline = time.monotonic() + 60
    while True:
        try:
            return [socket.create_connection(address).makefile("rw")]
        except OSError:
            if time.monotonic() > deadline:
                raise
            time.sleep(0.1)


def say(file, numbers):
    file.write(json.dumps(numbers) + "\n")
    file.flush()


def mean_of_all(numbers):
    """What all processes have, averaged."""
    if rank > 0:
        say(others[0], numbers)
        return json.loads(others[0].readline())
    everybody = [numbers] + [json.loads(file.readline()) for file in others]
    mean = [sum(column) / world for column in zip(*everybody)]
    for file in others:
        say(file, mean)
    return mean


def forward(w, x, y):
    hidden = [math.tanh(w[3 * i] * x + w[3 * i + 1] * y + w[3 * i + 2]) for i in range(HIDDEN)]
    score = w[-1] + sum(w[3 * HIDDEN + i] * h for i, h in enumerate(hidden))
    return hidden, 1 / (1 + math.exp(-max(-30.0, min(30.0, score))))


def point(dice):
    x, y = dice.uniform(-1, 1), dice.uniform(-1, 1)
    return x, y, 1.0 if x * x + y * y < 0.5 else 0.0


def gradient(w, batch):
    """Of the loss, and the loss itself at its end."""
    out, loss = [0.0] * len(w), 0.0
    for x, y, inside in batch:
        hidden, chance = forward(w, x, y)
        loss -= math.log(max(1e-9, chance if inside else 1 - chance))
        wrong = (chance - inside) / len(batch)
        out[-1] += wrong
        for i, h in enumerate(hidden):
            out[3 * HIDDEN + i] += wrong * h
            back = wrong * w[3 * HIDDEN + i] * (1 - h * h)
            out[3 * i] += back * x
            out[3 * i + 1] += back * y
            out[3 * i + 2] += back
    return out + [loss / len(batch)]


others = meet()
print(f"process {rank} of {world} has joined", flush=True)
start, own, judge = random.Random(0), random.Random(rank + 1), random.Random(99)
weights = [start.uniform(-2, 2) for _ in range(4 * HIDDEN + 1)]
speed, size = [0.0] * len(weights), [0.0] * len(weights)
test = [point(judge) for _ in range(500)]
for step in range(1, steps + 1):
    *slope, loss = mean_of_all(gradient(weights, [point(own) for _ in range(32)]))
    for i, g in enumerate(slope):  # Adam
        speed[i] = 0.9 * speed[i] + 0.1 * g
        size[i] = 0.99 * size[i] + 0.01 * g * g
        weights[i] -= 0.05 * (speed[i] / (1 - 0.9**step)) / (math.sqrt(size[i] / (1 - 0.99**step)) + 1e-8)
    if rank == 0 and (step % max(1, steps // 30) == 0 or step == steps):
        right = sum((forward(weights, x, y)[1] > 0.5) == (inside > 0.5) for x, y, inside in test) / len(test)
        print(f"step {step}/{steps} loss {loss:.3f} accuracy {right:.1%}", flush=True)
