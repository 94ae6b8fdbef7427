import './cluster.css';
import { bytes, cores } from '../quantity';
import type { Share } from './node';
import { clusterWords } from './words';

export function spell(resource: string, value: number): string {
  if (resource === 'cpu') return cores(value);
  return resource === 'memory' || resource.endsWith('storage') ? bytes(value) : String(value);
}

/** How much of a resource is asked for, as a bar and in numbers. */
export function ShareBar({ share: { resource, requested, allocatable } }: { share: Share }) {
  const t = clusterWords.value;
  const text = t.share(spell(resource, requested), spell(resource, allocatable));
  const over = requested > allocatable;
  return (
    <span class={over ? 'share over' : 'share'}>
      <meter aria-label={resource} min={0} max={allocatable || 1} value={requested} title={text} />
      <span>{text}</span>
      {over && <span class="warning">⚠ {t.overcommitted}</span>}
    </span>
  );
}
