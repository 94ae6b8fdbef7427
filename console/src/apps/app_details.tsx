import './apps.css';
import { words } from '../i18n';
import { listKinds, resourceOf } from '../kinds';
import { useLiveOne } from '../live/pool';
import { ClaimLinks } from '../objects/claim_links';
import { ConditionsAndEvents, Details } from '../objects/details';
import type { ObjectRoute } from '../objects/pages';
import type { Pod } from '../pods/pod';
import {
  showPodConditions,
  showPodEvents,
  showPodLog,
  showPodMonitoring,
} from '../pods/pod_dialogs';
import { type Amounts, bytes, cores, noAmount, requestAndLimit } from '../quantity';
import { objectHref } from '../route';
import { ExactTime } from '../time';
import { Fact } from '../ui/facts';
import { Labels } from '../ui/labels';
import { LongText } from '../ui/long_text';
import { NotLoaded } from '../ui/not_loaded';
import {
  type App,
  amountsOfBoard,
  amountsOfNotebook,
  claimsOfNotebook,
  fileSets,
  imageOf,
  type Notebook,
  podOfApp,
  queueOfApp,
  type TensorBoard,
  troubleOfApp,
} from './app';
import { AppButtons } from './app_actions';
import { AppState } from './app_link';
import { appWords } from './words';

/** The pod that serves it, and what can be looked at of it. */
function PodLinks({ app }: { app: App }) {
  const t = words.value;
  const { namespace = '' } = app.metadata;
  const name = podOfApp(app) ?? '';
  const { collection } = useLiveOne<Pod>(resourceOf(listKinds.pods, namespace));
  const pod = collection.get(`${namespace}/${name}`);
  if (!collection.loaded.value) return <NotLoaded />;
  if (!pod) return <>{appWords.value.podGone}</>;
  const links: [string, (pod: Pod) => void][] = [
    [t.log, showPodLog],
    [t.conditions, showPodConditions],
    [t.events, showPodEvents],
    [t.monitoring, showPodMonitoring],
  ];
  return (
    <>
      <div>
        <a href={objectHref('pods', namespace, name)}>{name}</a>
      </div>
      <div class="pair">
        {links.map(([text, show]) => (
          <button key={text} type="button" class="plain" onClick={() => show(pod)}>
            {text}
          </button>
        ))}
      </div>
    </>
  );
}

function Amount({ amounts, name }: { amounts: Amounts; name: 'cpu' | 'memory' }) {
  const spell = name === 'cpu' ? cores : bytes;
  return <>{requestAndLimit(amounts.get(name) ?? noAmount, spell)}</>;
}

function NotebookFacts({ notebook }: { notebook: Notebook }) {
  const own = appWords.value;
  return (
    <>
      <Fact name={own.image}>{imageOf(notebook) ?? '-'}</Fact>
      <Fact name={own.claims}>
        <ClaimLinks
          namespace={notebook.metadata.namespace ?? ''}
          names={claimsOfNotebook(notebook)}
        />
      </Fact>
      <Fact name={own.ssh}>{notebook.spec?.ssh?.enabled ? own.sshOn : '-'}</Fact>
    </>
  );
}

function BoardFacts({ board }: { board: TensorBoard }) {
  const own = appWords.value;
  return (
    <>
      <Fact name={own.image}>{board.spec?.image ?? '-'}</Fact>
      <Fact name={own.fileSets}>
        {fileSets(board).map((each) => (
          <div key={each}>{each}</div>
        ))}
      </Fact>
    </>
  );
}

/** Why it does not serve, with the command that mends it where there is one. */
function Cause({ app }: { app: App }) {
  const t = words.value;
  const text = troubleOfApp(app);
  if (!text) return null;
  const failed = app.status?.phase === 'Failed';
  return (
    <p class={failed ? 'cause failed' : 'cause'}>
      <strong>{failed ? t.failedBecause : t.waitsBecause}: </strong>
      <LongText text={text} />
    </p>
  );
}

function Facts({ at, app }: { at: ObjectRoute; app: App }) {
  const t = words.value;
  const { name, namespace, uid, creationTimestamp, labels } = app.metadata;
  const notebook = at.list === 'notebooks' ? (app as Notebook) : undefined;
  const amounts = notebook ? amountsOfNotebook(notebook) : amountsOfBoard(app as TensorBoard);
  const queue = queueOfApp(app);
  return (
    <dl class="facts">
      <Fact name={t.name}>{name}</Fact>
      <Fact name={t.project}>{namespace}</Fact>
      <Fact name={t.uid}>{uid}</Fact>
      <Fact name={t.cpuOf}>
        <Amount amounts={amounts} name="cpu" />
      </Fact>
      <Fact name={t.status}>
        <AppState page={notebook ? 'notebooks' : 'tensorboards'} app={app} />
      </Fact>
      <Fact name={t.memoryOf}>
        <Amount amounts={amounts} name="memory" />
      </Fact>
      <Fact name={t.created}>
        <ExactTime at={creationTimestamp} />
      </Fact>
      <Fact name={t.filters.scheduler}>
        {queue ? `${t.schedulers.T9k} · ${t.queue} ${queue}` : t.schedulers.default}
      </Fact>
      <Fact name={appWords.value.pod}>
        <PodLinks app={app} />
      </Fact>
      {notebook ? <NotebookFacts notebook={notebook} /> : <BoardFacts board={app as TensorBoard} />}
      <Fact name={t.labels}>
        <Labels labels={labels} />
      </Fact>
    </dl>
  );
}

/** The page of one notebook or TensorBoard. */
export function AppDetails({ at }: { at: ObjectRoute }) {
  const page = at.list === 'notebooks' ? 'notebooks' : 'tensorboards';
  return (
    <Details<App> at={at} buttons={(app) => <AppButtons page={page} app={app} />}>
      {(app) => (
        <>
          <Cause app={app} />
          <Facts at={at} app={app} />
          <ConditionsAndEvents object={app} />
        </>
      )}
    </Details>
  );
}
