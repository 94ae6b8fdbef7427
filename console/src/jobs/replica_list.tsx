import { useSignal } from '@preact/signals';
import { words } from '../i18n';
import { listKinds, resourceOf } from '../kinds';
import { type Column, HiddenColumns } from '../list/columns';
import { ColumnMenu } from '../list/filter_bar';
import { useLive } from '../live/pool';
import { allLoaded, useSnapshot } from '../live/snapshot';
import { amountsOfPod } from '../pods/pod';
import { bytes, cores, noAmount, requestAndLimit } from '../quantity';
import { Labels } from '../ui/labels';
import { CheckItem, Menu } from '../ui/menu';
import { NotLoaded } from '../ui/not_loaded';
import { Pager, pageSize } from '../ui/pager';
import { pageOf } from '../ui/paging';
import { PhaseIcon } from '../ui/phase';
import { Scroll } from '../ui/scroll';
import { type Job, phaseWord } from './job';
import { type Pod, type ReplicaRow, replicaRows } from './replica';
import { ReplicaMenu, type ReplicaMenuProps } from './replica_menu';
import { jobWords } from './words';

/** What a replica that failed or waits has to say, in its own row. */
function Trouble({ row }: { row: ReplicaRow }) {
  const t = words.value;
  const ended = row.failed && row.exitCode !== undefined;
  const meaning = jobWords.value.exitMeanings[row.exitCode ?? 0];
  const words_ = [
    row.reason,
    ended && row.exitCode !== undefined && t.exitedWith(row.exitCode),
    ended && row.reason !== 'OOMKilled' && meaning,
  ];
  const text = words_.filter(Boolean).join(' · ');
  if (!text && !row.lastLine) return null;
  return (
    <p class={row.failed ? 'problem' : 'note'}>
      {text} {row.lastLine && <code>{row.lastLine}</code>}
    </p>
  );
}

function amountCell(name: string, format: typeof cores) {
  return ({ pod }: ReplicaRow) =>
    requestAndLimit((pod && amountsOfPod(pod).get(name)) ?? noAmount, format);
}

const columns: readonly Column<ReplicaRow>[] = [
  {
    name: 'labels',
    title: (t) => t.labels,
    cell: ({ pod }) => <Labels labels={pod?.metadata.labels} />,
    wraps: true,
  },
  { name: 'phase', title: (t) => t.phase, cell: ({ phase }) => phaseWord(phase) },
  { name: 'restarts', title: (t) => t.restarts, cell: ({ restarts }) => restarts },
  { name: 'cpu', title: (t) => t.cpu, cell: amountCell('cpu', cores) },
  { name: 'memory', title: (t) => t.memory, cell: amountCell('memory', bytes) },
  { name: 'node', title: (t) => t.node, cell: ({ pod }) => pod?.spec?.nodeName ?? '-' },
];

const hidden = new HiddenColumns('hiddenReplicaColumns', columns);
const shownColumns = () => columns.filter(({ name }) => !hidden.now.value.has(name));

function Row(props: ReplicaMenuProps) {
  const { row } = props;
  return (
    <tr>
      <td class="narrow">
        <PhaseIcon phase={row.failed ? 'Failed' : row.phase} />
      </td>
      <th scope="row">
        {row.name}
        <Trouble row={row} />
      </th>
      {shownColumns().map(({ name, cell, wraps }) => (
        <td key={name} class={wraps ? '' : 'keep'}>
          {cell(row)}
        </td>
      ))}
      <td class="narrow">
        <Menu face="⋮" label={words.value.actionsOf(row.name)} class="plain">
          {() => <ReplicaMenu {...props} />}
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
        <th scope="col">{t.name}</th>
        {shownColumns().map(({ name, title }) => (
          <th key={name} scope="col">
            {title(t)}
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

export function ReplicaList({ job }: { job: Job }) {
  const t = words.value;
  const { namespace = '' } = job.metadata;
  const lives = useLive<Pod>([resourceOf(listKinds.pods, namespace)]);
  const rows = replicaRows(job, useSnapshot(lives));
  const chosen = useSignal<string[]>([]);
  const wanted = useSignal(0);
  const types = [...new Set(rows.map(({ type }) => type))];
  const some = rows.filter(({ type }) => chosen.value.length === 0 || chosen.value.includes(type));
  const shown = pageOf(some, wanted.value, pageSize.value);
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
        <ColumnMenu columns={columns} hidden={hidden} />
      </div>
      <Scroll label={t.replicas}>
        <table class="stack">
          <Head />
          <tbody>
            {shown.items.map((row) => (
              <Row key={row.name} row={row} job={job} />
            ))}
          </tbody>
        </table>
      </Scroll>
      {shown.total === 0 && (allLoaded(lives) ? <p class="empty big">{t.none}</p> : <NotLoaded />)}
      <Pager
        shown={shown}
        go={(page) => {
          wanted.value = page;
        }}
      />
    </section>
  );
}
