const first = 500;
const longest = 10_000;

/**
 * Milliseconds to wait before the try after `failures` failed ones: doubling up to ten seconds. A random half
 * keeps many open tabs from returning in the same instant. `random` is in [0, 1).
 */
export function backoff(failures: number, random: number): number {
  const full = Math.min(longest, first * 2 ** Math.min(failures, 16));
  return full * (0.5 + random / 2);
}
