# Grows trees on rows that the replicas share; the master has the tracker, by which they find each other.
import os
import socket

import numpy as np
import xgboost as xgb
from xgboost.tracker import RabitTracker

rank, world = int(os.environ["RANK"]), int(os.environ["WORLD_SIZE"])
host, port = socket.gethostbyname(os.environ["MASTER_ADDR"]), int(os.environ["MASTER_PORT"])
tracker = None
if rank == 0:
    tracker = RabitTracker(world, host, port)
    tracker.start()

with xgb.collective.CommunicatorContext(
    dmlc_tracker_uri=host, dmlc_tracker_port=port, dmlc_task_id=str(rank), dmlc_retry=60
):
    print(f"rank {rank} of {world} has joined", flush=True)
    rows = np.random.default_rng(rank).random((500, 8))
    data = xgb.DMatrix(rows, rows.sum(1))
    trees = xgb.train(
        {"max_depth": 3, "nthread": 1}, data, 20, evals=[(data, "train")], verbose_eval=rank == 0
    )
if tracker:
    tracker.wait_for()
