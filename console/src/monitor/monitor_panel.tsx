import { useSignal } from '@preact/signals';
import { useId, useMemo } from 'preact/hooks';
import './monitor.css';
import { MonitorCard } from './monitor_card';
import type { Life } from './range';
import { cards, extendedNames, type Source, type UsageList } from './usage';
import { monitorWords } from './words';

export interface MonitorProps {
  /** Whose usage is shown. */
  source: Source;
  /** When it began, and when it ended, as the API tells times; undefined: not (yet). */
  start?: string | null | undefined;
  finish?: string | null | undefined;
  /** Whether it may have several pods, which can then be told apart. */
  several?: boolean;
}

function time(text: string | null | undefined): number | undefined {
  const parsed = Date.parse(text ?? '');
  return Number.isNaN(parsed) ? undefined : parsed;
}

/** What a job, a pod or the pods of a node have used: a stack of cards with charts. */
export function MonitorPanel({ source, start, finish, several = false }: MonitorProps) {
  const t = monitorWords.value;
  const group = useId();
  const perReplica = useSignal(false);
  const gpus = useSignal(false);
  const life = useMemo<Life>(() => ({ start: time(start), finish: time(finish) }), [start, finish]);
  const onAnswer = ({ items }: UsageList) => {
    gpus.value = extendedNames(items).includes('nvidia.com/gpu');
  };
  const shown = cards.filter((name) => name !== 'gpu' || gpus.value);
  return (
    <div class="monitor">
      {several && (
        <label class="bar">
          <input
            type="checkbox"
            checked={perReplica.value}
            onChange={() => {
              perReplica.value = !perReplica.value;
            }}
          />
          {t.perReplica}
        </label>
      )}
      {shown.map((name) => (
        <MonitorCard
          key={name}
          name={name}
          source={source}
          life={life}
          perReplica={perReplica.value}
          group={group}
          {...(name === 'resources' && { onAnswer })}
        />
      ))}
    </div>
  );
}
