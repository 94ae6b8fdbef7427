"""Trains a digit classifier on several replicas that meet by MASTER_ADDR, MASTER_PORT, RANK and
WORLD_SIZE, without torchrun.

Every replica reads only its own share of the images and averages its gradients with the others'
itself, which is all that DistributedDataParallel does (it does it faster). Rank 0 writes into the
output folder: log/ (TensorBoard), checkpoint.pt after every epoch, from which a later attempt with
the same folder goes on, and model_state_dict.pt in the end.
"""

import argparse
import os
import sys
from datetime import timedelta
from pathlib import Path

import torch
import torch.distributed as dist
from torch.nn import functional as F
from torch.nn.utils import parameters_to_vector, vector_to_parameters

sys.path.append(str(Path(__file__).resolve().parents[1]))  # where digits is, which all examples share
from digits import data
from digits.net import Net, mean_scores, score_sums
from digits.records import Scalars, read_checkpoint, say, write_whole

LINES_EVERY = 25  # batches


def parse_arguments():
    parser = argparse.ArgumentParser(description="Trains a digit classifier on several replicas.")
    data.add_arguments(parser)
    parser.add_argument("--epochs", type=int, default=3)
    parser.add_argument("--batch_size", type=int, default=32, help="of each replica")
    parser.add_argument("--out", default="runs/local", help="folder for what is written")
    return parser.parse_args()


def meet():
    """Waits until all replicas have come; my rank, and how many we are."""
    rank, world = int(os.environ.get("RANK", 0)), int(os.environ.get("WORLD_SIZE", 1))
    place = f"{os.environ.get('MASTER_ADDR', '127.0.0.1')}:{os.environ.get('MASTER_PORT', 29500)}"
    say(f"rank {rank} of {world} meets the others at {place}")
    dist.init_process_group("gloo", init_method=f"tcp://{place}", rank=rank, world_size=world,
                            timeout=timedelta(minutes=5))
    return rank, world


def average_gradients(model, world):
    """One message for all gradients: many small ones would cost more than the arithmetic."""
    gradients = [parameter.grad for parameter in model.parameters()]
    together = parameters_to_vector(gradients)
    dist.all_reduce(together)
    vector_to_parameters(together / world, gradients)


def evaluate(model, images, labels):
    sums = score_sums(model, images, labels)
    dist.all_reduce(sums)
    return mean_scores(sums)


def run(args, rank, world):
    args.samples -= args.samples % world  # the same number of batches for everybody
    (images, labels), validation, test = data.load(args, share=(rank, world))
    steps = len(range(0, len(images), args.batch_size))

    torch.manual_seed(1)  # all begin with the same weights
    model = Net()
    optimizer = torch.optim.Adam(model.parameters())
    checkpoint = os.path.join(args.out, "checkpoint.pt")
    done = 0
    if saved := read_checkpoint(checkpoint):
        done = saved["epoch"]
        model.load_state_dict(saved["model"])
        optimizer.load_state_dict(saved["optimizer"])
        say(f"rank {rank} goes on after epoch {done} from {checkpoint}")
    scalars = Scalars(os.path.join(args.out, "log"), after_step=done * steps, enabled=rank == 0)

    for epoch in range(done + 1, args.epochs + 1):
        optimizer.param_groups[0]["lr"] = 0.004 * 0.4 ** (epoch - 1)
        order = torch.randperm(len(images), generator=torch.Generator().manual_seed(epoch))
        model.train()
        for batch, chosen in enumerate(order.split(args.batch_size), start=1):
            loss = F.cross_entropy(model(images[chosen]), labels[chosen])
            optimizer.zero_grad()
            loss.backward()
            average_gradients(model, world)
            optimizer.step()
            if rank == 0 and (batch % LINES_EVERY == 0 or batch == steps):
                say(f"epoch {epoch}/{args.epochs}, batch {batch:5d}/{steps} with loss: {loss:.4f}")
                scalars.add((epoch - 1) * steps + batch, train_loss=loss.item())
        loss, accuracy = evaluate(model, *validation)
        scalars.add(epoch * steps, val_loss=loss, val_accuracy=accuracy)
        if rank == 0:
            say(f"epoch {epoch}/{args.epochs} with val loss: {loss:.4f}, val accuracy: {accuracy:.4f}")
            write_whole({"epoch": epoch, "model": model.state_dict(),
                         "optimizer": optimizer.state_dict()}, checkpoint)

    loss, accuracy = evaluate(model, *test)
    scalars.add(args.epochs * steps, test_loss=loss, test_accuracy=accuracy)
    scalars.close()
    if rank == 0:
        say(f"test loss: {loss:.4f}, test accuracy: {accuracy:.4f}")
        path = os.path.join(args.out, "model_state_dict.pt")
        write_whole(model.state_dict(), path)
        say(f"model saved to {path}")


def main():
    args = parse_arguments()
    # More threads than cores make all replicas crawl: one each, unless the platform says more.
    torch.set_num_threads(int(os.environ.get("OMP_NUM_THREADS", "1")))
    rank, world = meet()
    run(args, rank, world)
    dist.barrier()  # rank 0 keeps the meeting place: it goes last
    dist.destroy_process_group()


if __name__ == "__main__":
    main()
