import { useSignal } from '@preact/signals';
import { useEffect } from 'preact/hooks';
import { ask } from '../api';
import { MonitorPanel } from '../monitor/monitor_panel';
import { type UsageList, usagePath } from '../monitor/usage';
import { jobWords } from './words';

/** What a job that is gone has used, as far as it is kept. */
export function GoneUsage({ namespace, name }: { namespace: string; name: string }) {
  const ended = useSignal<UsageList['items'][number] | undefined>(undefined);
  const source = { namespace, job: name };
  useEffect(() => {
    const question = {
      from: undefined,
      to: undefined,
      points: 1,
      perReplica: false,
      metrics: ['cpu'],
    };
    ask<UsageList>('GET', usagePath(source, question)).then(
      ({ items: [sum] }) => {
        ended.value = sum;
      },
      // Then there is nothing to be shown.
      () => {},
    );
  }, [namespace, name]);
  if (!ended.value) return null;
  const { begin, end } = ended.value;
  return (
    <>
      <h2>{jobWords.value.goneUsage}</h2>
      <MonitorPanel source={source} start={begin} finish={end} several />
    </>
  );
}
