// What the cluster has and what of it nobody has asked for yet.
import { signal } from '@preact/signals';
import { useEffect } from 'preact/hooks';
import { ask } from '../api';
import { type Amounts, addContainers, bytes, cores, isExtended, parseQuantity } from '../quantity';
import { createWords } from './words';

interface Listed<T> {
  items?: T[];
  metadata?: { continue?: string };
}
interface NodeObject {
  spec?: { unschedulable?: boolean };
  status?: { allocatable?: Record<string, string> };
}
interface PodObject {
  spec?: { nodeName?: string; containers?: Parameters<typeof addContainers>[1] };
  status?: { phase?: string };
}

export type Free = Map<string, { free: number; all: number }>;

export function freeOf(nodes: readonly NodeObject[], pods: readonly PodObject[]): Free {
  const free: Free = new Map();
  for (const { spec, status } of nodes) {
    if (spec?.unschedulable) continue;
    for (const [name, amount] of Object.entries(status?.allocatable ?? {})) {
      const all = (free.get(name)?.all ?? 0) + (parseQuantity(amount) ?? 0);
      free.set(name, { free: all, all });
    }
  }
  const asked: Amounts = new Map();
  for (const { spec, status } of pods) {
    const lives = spec?.nodeName && status?.phase !== 'Succeeded' && status?.phase !== 'Failed';
    if (lives) addContainers(asked, spec.containers, 1);
  }
  for (const [name, { request = 0 }] of asked) {
    const there = free.get(name);
    if (there) free.set(name, { ...there, free: Math.max(0, there.free - request) });
  }
  return free;
}

const known = signal<Free>(new Map());

/** More pods than this are too many to ask for a hint. */
const most = 1000;

/** Asked once a form. Who may not list the nodes is told nothing, which is no failure. */
export async function askFree(): Promise<void> {
  const [nodes, pods] = await Promise.all([
    ask<Listed<NodeObject>>('GET', '/api/v1/nodes'),
    ask<Listed<PodObject>>('GET', `/api/v1/pods?limit=${most}`),
  ]);
  known.value = pods.metadata?.continue ? new Map() : freeOf(nodes.items ?? [], pods.items ?? []);
}

export function useAskFree(): void {
  useEffect(() => {
    askFree().catch(() => {
      known.value = new Map();
    });
  }, []);
}

export function useFree(): { known: string[]; hint: (name: string) => string | undefined } {
  const t = createWords.value;
  const now = known.value;
  const spell = (name: string, amount: number) => {
    if (name === 'cpu') return cores(amount);
    return name === 'memory' ? bytes(amount) : String(amount);
  };
  return {
    known: [...now.keys()].filter(isExtended),
    hint: (name) => {
      const found = now.get(name);
      return found && t.free(spell(name, found.free), spell(name, found.all));
    },
  };
}
