# Rank 0 has the weights; workers ask for them over RPC and hand in their gradients.
import os
import threading

import torch
import torch.distributed.rpc as rpc

STEPS = 50

torch.set_num_threads(1)
rank, world = int(os.environ["RANK"]), int(os.environ["WORLD_SIZE"])
weights = torch.zeros(8, 1)  # those of rank 0 count
lock = threading.Lock()


def pull():
    return weights


def push(gradient):
    with lock:
        weights.sub_(0.05 * gradient)


rpc.init_rpc("ps" if rank == 0 else f"worker-{rank}", rank=rank, world_size=world)
print(f"rank {rank} of {world} has joined", flush=True)
if rank > 0:
    torch.manual_seed(rank)
    for step in range(1, STEPS + 1):
        own = rpc.rpc_sync("ps", pull).clone().requires_grad_()
        numbers = torch.rand(64, 8)
        loss = torch.nn.functional.mse_loss(numbers @ own, numbers.sum(1, keepdim=True))
        loss.backward()
        rpc.rpc_sync("ps", push, (own.grad,))
        if step % 10 == 0:
            print(f"step {step}/{STEPS} loss {loss.item():.4f}", flush=True)
rpc.shutdown()  # waits until all have finished
