// Where the ranks of a job are, and which of them are in the same place. No screen in here.

export interface Frame {
  file: string;
  line: number;
  function: string;
}

/** What GET pods/NAME/stacks tells of one process. */
export interface ProcessStack {
  container: string;
  rank?: number;
  command?: string;
  waits: string;
  threads?: { main?: boolean; frames?: Frame[] }[];
  noPython?: string;
}

export interface PodStacks {
  pod: string;
  processes: ProcessStack[];
  /** Why there are none. */
  error?: string;
}

export interface StackGroup {
  names: string[];
  waits: string[];
  frames: Frame[];
  /** Why there are no frames. */
  noPython: string;
}

function framesOf({ threads = [] }: ProcessStack): Frame[] {
  // faulthandler writes the main thread last.
  return (threads.find(({ main }) => main) ?? threads.at(-1))?.frames ?? [];
}

function nameOf(pod: string, { rank, container }: ProcessStack, alone: boolean): string {
  if (rank !== undefined) return `rank ${rank} (${pod})`;
  return alone ? pod : `${pod}/${container}`;
}

/** The largest group first, so that the odd one out stands at the end. */
export function stackGroups(pods: readonly PodStacks[]): StackGroup[] {
  const groups = new Map<string, StackGroup>();
  for (const { pod, processes } of pods) {
    for (const process of processes) {
      const frames = framesOf(process);
      const key = frames.length > 0 ? JSON.stringify(frames) : process.waits;
      const group = groups.get(key) ?? {
        names: [],
        waits: [],
        frames,
        noPython: process.noPython ?? '',
      };
      group.names.push(nameOf(pod, process, processes.length === 1));
      if (!group.waits.includes(process.waits)) group.waits.push(process.waits);
      groups.set(key, group);
    }
  }
  return [...groups.values()].sort((a, b) => b.names.length - a.names.length);
}

/** A group as a text: what is shown, and what is copied. */
export function stackLines({ frames, noPython }: StackGroup): string {
  if (frames.length === 0) return noPython;
  return frames.map((frame) => `${frame.file}:${frame.line} in ${frame.function}`).join('\n');
}
