"""Trains a digit classifier with Horovod, on as many processes as mpirun has started.

Every process reads only its own share of the images; Horovod averages their gradients while they are
computed, and their scores. Rank 0 alone tells how it goes and writes into the output folder: log/
(TensorBoard), checkpoint.pt after every epoch, from which a later run with the same folder goes on, and
model_state_dict.pt in the end.
"""

import argparse
import os
import sys
from pathlib import Path

import horovod.torch as hvd
import torch
from torch.nn import functional as F

sys.path.append(str(Path(__file__).resolve().parents[1]))  # where digits is, which all examples share
from digits import data
from digits.net import Net, mean_scores, score_sums
from digits.records import Scalars, read_checkpoint, say, write_whole

LINES_EVERY = 25  # batches


def parse_arguments():
    parser = argparse.ArgumentParser(description="Trains a digit classifier with Horovod.")
    data.add_arguments(parser)
    parser.add_argument("--epochs", type=int, default=3)
    parser.add_argument("--batch_size", type=int, default=32, help="of each process")
    parser.add_argument("--out", default=f"runs/{os.environ.get('JOB_NAME', 'local')}", help="folder for what is written")
    return parser.parse_args()


def begin_alike(model, optimizer, checkpoint):
    """Rank 0 alone reads the checkpoint of an earlier run, if there is one: a folder that the others do not
    see will do. All get its weights and its optimizer's state. How many epochs are done."""
    done = 0
    if hvd.rank() == 0 and (saved := read_checkpoint(checkpoint)):
        done = saved["epoch"]
        model.load_state_dict(saved["model"])
        optimizer.load_state_dict(saved["optimizer"])
        say(f"goes on after epoch {done} from {checkpoint}")
    hvd.broadcast_parameters(model.state_dict(), root_rank=0)
    hvd.broadcast_optimizer_state(optimizer, root_rank=0)
    return hvd.broadcast_object(done, root_rank=0)


def evaluate(model, images, labels):
    """Each scores its own share: the sums of all make the mean."""
    return mean_scores(hvd.allreduce(score_sums(model, images, labels), op=hvd.Sum))


def run(args):
    rank, world = hvd.rank(), hvd.size()
    args.samples -= args.samples % world  # the same number of batches for everybody
    (images, labels), validation, test = data.load(args, share=(rank, world))
    steps = len(range(0, len(images), args.batch_size))

    model = Net()
    optimizer = hvd.DistributedOptimizer(torch.optim.Adam(model.parameters()),
                                         named_parameters=model.named_parameters())
    checkpoint = os.path.join(args.out, "checkpoint.pt")
    done = begin_alike(model, optimizer, checkpoint)
    scalars = Scalars(os.path.join(args.out, "log"), after_step=done * steps, enabled=rank == 0)
    if rank == 0:
        say(f"Horovod averages the gradients of {world} processes")

    for epoch in range(done + 1, args.epochs + 1):
        optimizer.param_groups[0]["lr"] = 0.004 * 0.4 ** (epoch - 1)
        order = torch.randperm(len(images), generator=torch.Generator().manual_seed(epoch))
        model.train()
        for batch, chosen in enumerate(order.split(args.batch_size), start=1):
            loss = F.cross_entropy(model(images[chosen]), labels[chosen])
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()  # with the mean of all gradients
            if batch % LINES_EVERY == 0 or batch == steps:
                mean = hvd.allreduce(loss.detach()).item()
                scalars.add((epoch - 1) * steps + batch, train_loss=mean)
                if rank == 0:
                    say(f"epoch {epoch}/{args.epochs}, batch {batch:5d}/{steps} with loss: {mean:.4f}")
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
    # More threads than cores make all processes crawl: one each, unless the platform says more.
    torch.set_num_threads(int(os.environ.get("OMP_NUM_THREADS", "1")))
    torch.manual_seed(1)
    hvd.init()
    run(args)
    hvd.shutdown()


if __name__ == "__main__":
    main()
