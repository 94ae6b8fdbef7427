import { useSignal } from '@preact/signals';
import { useEffect } from 'preact/hooks';
import { ask } from '../api';
import { words } from '../i18n';
import { listKinds, objectPath } from '../kinds';
import { CopyButton } from '../ui/copy';
import { Dialog } from '../ui/dialog';
import { showDialog } from '../ui/shown_dialog';
import { type Job, memoryOf } from './job';
import { type PodStacks, type ProcessStack, stackGroups, stackLines } from './stacks';
import { jobWords } from './words';

async function take(namespace: string, pod: string): Promise<PodStacks> {
  try {
    const path = `${objectPath(listKinds.pods, namespace, pod)}/stacks`;
    const { processes } = await ask<{ processes: ProcessStack[] }>('GET', path);
    return { pod, processes };
  } catch (error) {
    return { pod, processes: [], error: error instanceof Error ? error.message : String(error) };
  }
}

/** The pods of a job that run. */
export function runningPods(job: Job): string[] {
  const replicas = (memoryOf(job).tasks ?? []).flatMap(({ replicas = [] }) => replicas);
  return replicas.filter(({ phase }) => phase === 'Running').map(({ name }) => name);
}

function Stacks({ namespace, pods }: { namespace: string; pods: string[] }) {
  const t = jobWords.value;
  const taken = useSignal<PodStacks[] | undefined>(undefined);
  const look = async () => {
    taken.value = await Promise.all(pods.map((pod) => take(namespace, pod)));
  };
  useEffect(() => void look(), []);
  if (!taken.value) return <p>{t.stacksTaken}</p>;
  const groups = stackGroups(taken.value);
  const text = groups
    .map((group) => `${group.names.join(', ')}: ${group.waits.join('; ')}\n${stackLines(group)}\n`)
    .join('\n');
  return (
    <>
      <div class="bar">
        <button type="button" onClick={() => void look()}>
          {words.value.refresh}
        </button>
        <CopyButton text={text} />
      </div>
      {groups.map((group) => (
        <section key={group.names.join()} class="stack" aria-label={group.names.join(', ')}>
          <h3>{group.names.join(', ')}</h3>
          <p>{group.waits.join('; ')}</p>
          <pre>{stackLines(group)}</pre>
        </section>
      ))}
      {taken.value.map(
        ({ pod, error }) =>
          error && (
            <p key={pod} class="refusal">
              {pod}: {error}
            </p>
          ),
      )}
    </>
  );
}

/** Where the ranks are now; those in the same place stand together. */
export function showStacks(job: Job): void {
  const { name, namespace = '' } = job.metadata;
  const pods = runningPods(job);
  showDialog((close) => (
    <Dialog title={jobWords.value.stacksTitle(name)} large onClose={close}>
      <Stacks namespace={namespace} pods={pods} />
    </Dialog>
  ));
}
