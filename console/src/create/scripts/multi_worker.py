# Fits a plane with MultiWorkerMirroredStrategy: TF_CONFIG says who the others are.
import tensorflow as tf

STEPS = 100

strategy = tf.distribute.MultiWorkerMirroredStrategy()
rank = strategy.cluster_resolver.task_id or 0
with strategy.scope():
    weights = tf.Variable(tf.zeros([8, 1]), aggregation=tf.VariableAggregation.MEAN)


@tf.function
def train(numbers):
    with tf.GradientTape() as tape:
        wanted = tf.reduce_sum(numbers, 1, keepdims=True)
        loss = tf.reduce_mean((numbers @ weights - wanted) ** 2)
    weights.assign_sub(0.1 * tape.gradient(loss, weights))  # all workers': their mean
    return loss


tf.random.set_seed(rank)
for step in range(1, STEPS + 1):
    loss = strategy.run(train, args=(tf.random.uniform([64, 8]),))
    if rank == 0 and step % 10 == 0:
        print(f"step {step}/{STEPS} loss {float(loss):.4f}", flush=True)
