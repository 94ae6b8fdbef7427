import { useSignal } from '@preact/signals';
import type { ComponentChildren } from 'preact';
import { words } from '../i18n';
import { listKinds, resourceOf } from '../kinds';
import type { Collection } from '../live/collection';
import { useLive } from '../live/pool';
import { useSnapshot } from '../live/snapshot';
import { ConditionTable } from '../objects/conditions';
import { bytes, cores, noAmount, requestAndLimit } from '../quantity';
import { Dialog } from '../ui/dialog';
import { Labels } from '../ui/labels';
import { CheckItem, Menu, MenuItem } from '../ui/menu';
import { Pager, pageSize } from '../ui/pager';
import { pageOf } from '../ui/paging';
import { PhaseIcon } from '../ui/phase';
import { showDialog } from '../ui/shown_dialog';
import { showYaml } from '../ui/yaml_dialog';
import { type Job, phaseWord } from './job';
import { EventsAbout } from './job_events';
import { showLog } from './log_dialog';
import { type Pod, podAmounts, type ReplicaRow, replicaRows } from './replica';

interface RowProps {
  row: ReplicaRow;
  namespace: string;
  follow: () => ReplicaRow | undefined;
}

function showPodDialog(title: string, row: ReplicaRow, body: () => ComponentChildren): void {
  showDialog((close) => (
    <Dialog title={`${title}: ${row.name}`} large onClose={close}>
      <div class="details">{body()}</div>
    </Dialog>
  ));
}

function RowMenu({ row, namespace, follow }: RowProps) {
  const t = words.value;
  const { pod } = row;
  return (
    <>
      <MenuItem onClick={() => showLog(namespace, row, follow)}>{t.log}</MenuItem>
      {pod && <MenuItem onClick={() => showYaml(pod)}>{t.yaml}</MenuItem>}
      {pod && (
        <MenuItem
          onClick={() =>
            showPodDialog(t.conditions, row, () => (
              <ConditionTable conditions={(follow()?.pod ?? pod).status?.conditions} />
            ))
          }
        >
          {t.conditions}
        </MenuItem>
      )}
      <MenuItem
        onClick={() =>
          showPodDialog(t.events, row, () => (
            <EventsAbout namespace={namespace} uids={new Set([row.uid])} />
          ))
        }
      >
        {t.events}
      </MenuItem>
    </>
  );
}

/** What a replica that failed or waits has to say, in its own row. */
function Trouble({ row }: { row: ReplicaRow }) {
  const t = words.value;
  const ended = row.phase === 'Failed' && row.exitCode !== undefined;
  const words_ = [row.reason, ended && row.exitCode !== undefined && t.exitedWith(row.exitCode)];
  const text = words_.filter(Boolean).join(' · ');
  if (!text && !row.lastLine) return null;
  return (
    <p class={row.phase === 'Failed' ? 'problem' : 'note'}>
      {text} {row.lastLine && <code>{row.lastLine}</code>}
    </p>
  );
}

function Row({ row, namespace, follow }: RowProps) {
  const t = words.value;
  const amounts = podAmounts(row.pod);
  return (
    <tr>
      <td class="narrow">
        <PhaseIcon phase={row.phase} />
      </td>
      <th scope="row">
        {row.name}
        <Trouble row={row} />
      </th>
      <td>
        <Labels labels={row.pod?.metadata.labels} />
      </td>
      <td>{phaseWord(row.phase)}</td>
      <td>{row.restarts}</td>
      <td class="keep">{requestAndLimit(amounts.get('cpu') ?? noAmount, cores)}</td>
      <td class="keep">{requestAndLimit(amounts.get('memory') ?? noAmount, bytes)}</td>
      <td class="keep">{row.pod?.spec?.nodeName ?? '-'}</td>
      <td class="narrow">
        <Menu face="⋮" label={t.actionsOf(row.name)} class="plain">
          {() => <RowMenu row={row} namespace={namespace} follow={follow} />}
        </Menu>
      </td>
    </tr>
  );
}

function Head() {
  const t = words.value;
  return (
    <thead>
      <tr>
        <td />
        {[t.name, t.labels, t.phase, t.restarts, t.cpu, t.memory, t.node].map((title) => (
          <th key={title} scope="col">
            {title}
          </th>
        ))}
        <th scope="col" class="narrow">
          {t.actions}
        </th>
      </tr>
    </thead>
  );
}

/** Replicas of some types only; none chosen means all. */
function TypeMenu(props: { types: string[]; chosen: string[]; choose: (types: string[]) => void }) {
  const { types, chosen, choose } = props;
  return (
    <Menu face={`${words.value.taskType} ▾`} class="soft">
      {() =>
        types.map((type) => (
          <CheckItem
            key={type}
            checked={chosen.includes(type)}
            onChange={() =>
              choose(
                chosen.includes(type) ? chosen.filter((each) => each !== type) : [...chosen, type],
              )
            }
          >
            {type}
          </CheckItem>
        ))
      }
    </Menu>
  );
}

/** `jobs` is where the job lives on while a dialog is open. */
export function ReplicaList({ job, id, jobs }: { job: Job; id: string; jobs: Collection<Job> }) {
  const t = words.value;
  const { namespace = '' } = job.metadata;
  const lives = useLive<Pod>([resourceOf(listKinds.pods, namespace)]);
  const rows = replicaRows(job, useSnapshot(lives));
  const chosen = useSignal<string[]>([]);
  const wanted = useSignal(0);
  const types = [...new Set(rows.map(({ type }) => type))];
  const some = rows.filter(({ type }) => chosen.value.length === 0 || chosen.value.includes(type));
  const shown = pageOf(some, wanted.value, pageSize.value);
  const follow = (name: string) => () => {
    const now = jobs.get(id);
    const pods = lives[0]?.collection;
    void pods?.changes.value;
    return now && replicaRows(now, pods?.all() ?? []).find((row) => row.name === name);
  };
  return (
    <section aria-label={t.replicas}>
      <div class="bar end">
        <TypeMenu
          types={types}
          chosen={chosen.value}
          choose={(next) => {
            chosen.value = next;
            wanted.value = 0;
          }}
        />
      </div>
      <div class="scroll">
        <table class="stack">
          <Head />
          <tbody>
            {shown.items.map((row) => (
              <Row key={row.name} row={row} namespace={namespace} follow={follow(row.name)} />
            ))}
          </tbody>
        </table>
      </div>
      {shown.total === 0 && <p class="empty big">{t.none}</p>}
      <Pager
        shown={shown}
        go={(page) => {
          wanted.value = page;
        }}
      />
    </section>
  );
}
