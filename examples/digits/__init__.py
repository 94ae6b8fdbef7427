"""What the examples share: MNIST's digits, a small net, its scores, and what a run leaves behind."""
