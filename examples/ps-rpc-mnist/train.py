"""Trains a digit classifier with a parameter server over torch.distributed.rpc.

Rank 0 is the server and holds the weights; all other ranks are workers. Each worker trains on its own
share of the images; every few steps all hand in their weights and go on with the mean. In the output
folder the server writes checkpoint.pt after every epoch, from which a later attempt with the same
folder goes on, and in the end each worker's model as model_state_dict.pt.RANK; each worker writes its
curves to log/worker_RANK (TensorBoard).
"""

import argparse
import os
import sys
import threading
from pathlib import Path

import torch
import torch.distributed.rpc as rpc
from torch.nn import functional as F

sys.path.append(str(Path(__file__).resolve().parents[1]))  # where digits is, which all examples share
from digits import data
from digits.net import Net, mean_scores, score_sums
from digits.records import Scalars, read_checkpoint, say, write_whole

LINES_EVERY = 25  # batches
AVERAGE_EVERY = 5  # batches


def parse_arguments():
    parser = argparse.ArgumentParser(description="Trains a digit classifier with a parameter server.")
    data.add_arguments(parser)
    parser.add_argument("--epochs", type=int, default=3)
    parser.add_argument("--batch_size", type=int, default=32, help="of each worker")
    parser.add_argument("--out", default="runs/local", help="folder for what is written")
    return parser.parse_args()


# ---- the server: functions that workers call in its process -----------------------------------------


class ParameterServer:
    def __init__(self, workers, out):
        self.workers = workers
        self.out = out
        self.checkpoint = os.path.join(out, "checkpoint.pt")
        saved = read_checkpoint(self.checkpoint) or {"epoch": 0, "model": Net().state_dict()}
        self.epoch, self.weights = saved["epoch"], saved["model"]
        self.lock = threading.Lock()
        self.handed_in = {}
        self.mean = torch.futures.Future()

    def collect(self, rank, weights, epoch_done):
        """The mean of all workers' weights, as soon as the last has handed in its own."""
        with self.lock:
            self.handed_in[rank] = weights
            promise = self.mean
            if len(self.handed_in) == self.workers:
                everyones = list(self.handed_in.values())
                self.weights = {name: torch.stack([one[name] for one in everyones]).mean(0)
                                for name in self.weights}
                if epoch_done:
                    self.epoch = epoch_done
                    write_whole({"epoch": self.epoch, "model": self.weights}, self.checkpoint)
                self.handed_in, self.mean = {}, torch.futures.Future()
                promise.set_result(self.weights)
            return promise


SERVER = None  # in the server's process


def join(rank):
    """How far earlier attempts came, and the weights to begin with."""
    say(f"worker {rank} has joined and begins after epoch {SERVER.epoch}")
    return SERVER.epoch, SERVER.weights


@rpc.functions.async_execution  # the caller waits, no thread of the server does
def average(rank, weights, epoch_done):
    return SERVER.collect(rank, weights, epoch_done)


def keep(rank, weights):
    path = os.path.join(SERVER.out, f"model_state_dict.pt.{rank}")
    write_whole(weights, path)
    say(f"model of worker {rank} saved to {path}")


# ---- a worker ----------------------------------------------------------------------------------------


def exchange(model, rank, epoch_done=0):
    model.load_state_dict(rpc.rpc_sync("ps", average, (rank, model.state_dict(), epoch_done)))


def work(args, rank, workers):
    done, weights = rpc.rpc_sync("ps", join, (rank,))
    args.samples -= args.samples % workers  # the same number of batches for everybody
    (images, labels), validation, test = data.load(args, share=(rank - 1, workers))
    steps = len(range(0, len(images), args.batch_size))
    model = Net()
    model.load_state_dict(weights)
    optimizer = torch.optim.Adam(model.parameters())
    scalars = Scalars(os.path.join(args.out, "log", f"worker_{rank}"), after_step=done * steps)

    for epoch in range(done + 1, args.epochs + 1):
        optimizer.param_groups[0]["lr"] = 0.003 * 0.4 ** (epoch - 1)
        order = torch.randperm(len(images), generator=torch.Generator().manual_seed(epoch))
        model.train()
        for batch, chosen in enumerate(order.split(args.batch_size), start=1):
            loss = F.cross_entropy(model(images[chosen]), labels[chosen])
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
            if batch == steps:
                exchange(model, rank, epoch_done=epoch)
            elif batch % AVERAGE_EVERY == 0:
                exchange(model, rank)
            if batch % LINES_EVERY == 0 or batch == steps:
                say(f"epoch {epoch}/{args.epochs}, batch {batch:5d}/{steps} with loss: {loss:.4f}")
                scalars.add((epoch - 1) * steps + batch, train_loss=loss.item())
        loss, accuracy = mean_scores(score_sums(model, *validation))
        scalars.add(epoch * steps, val_loss=loss, val_accuracy=accuracy)
        say(f"epoch {epoch}/{args.epochs} with val loss: {loss:.4f}, val accuracy: {accuracy:.4f}")

    loss, accuracy = mean_scores(score_sums(model, *test))
    scalars.add(args.epochs * steps, test_loss=loss, test_accuracy=accuracy)
    scalars.close()
    say(f"test loss: {loss:.4f}, test accuracy: {accuracy:.4f}")
    rpc.rpc_sync("ps", keep, (rank, model.state_dict()))


def main():
    global SERVER
    args = parse_arguments()
    # More threads than cores make all replicas crawl: one each, unless the platform says more.
    torch.set_num_threads(int(os.environ.get("OMP_NUM_THREADS", "1")))
    torch.manual_seed(1)
    rank, world = int(os.environ["RANK"]), int(os.environ["WORLD_SIZE"])
    if rank == 0:
        SERVER = ParameterServer(world - 1, args.out)
        say(f"parameter server with rank 0 waits for {world - 1} workers")
        rpc.init_rpc("ps", rank=rank, world_size=world)
    else:
        say(f"worker with rank {rank} of {world} looks for the parameter server")
        rpc.init_rpc(f"worker_{rank}", rank=rank, world_size=world)
        work(args, rank, world - 1)
    rpc.shutdown()  # waits until all have finished
    say("parameter server is no longer needed" if rank == 0 else f"worker {rank} is done")


if __name__ == "__main__":
    main()
