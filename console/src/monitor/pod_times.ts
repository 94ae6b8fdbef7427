// When a pod began and ended, for the charts of what it uses. No screen in here.

interface TimedPod {
  status?: {
    phase?: string;
    startTime?: string;
    containerStatuses?: { state?: { terminated?: { finishedAt?: string } } }[];
  };
}

/** `finish` only when nothing of it can run any more. */
export function podTimes(pod: TimedPod | undefined): {
  start: string | undefined;
  finish: string | undefined;
} {
  const { phase = '', startTime: start, containerStatuses = [] } = pod?.status ?? {};
  if (!['Succeeded', 'Failed'].includes(phase)) return { start, finish: undefined };
  const ends = containerStatuses.flatMap(({ state }) => state?.terminated?.finishedAt ?? []);
  return { start, finish: ends.sort().at(-1) };
}
