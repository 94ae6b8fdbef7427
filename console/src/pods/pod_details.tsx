import './pods.css';
import { words } from '../i18n';
import { jobKinds, kindId, listKinds } from '../kinds';
import { ConditionsAndEvents, Details } from '../objects/details';
import type { ObjectRoute } from '../objects/pages';
import { bytes, cores, noAmount, requestAndLimit } from '../quantity';
import { jobHref, objectHref } from '../route';
import { ExactTime } from '../time';
import { Fact } from '../ui/facts';
import { Labels } from '../ui/labels';
import { later } from '../ui/later';
import { Phase } from '../ui/phase';
import { Tabs } from '../ui/tabs';
import { Containers } from './containers';
import {
  amountsOfPod,
  extendedOfPod,
  failedContainer,
  groupOf,
  iconOfPod,
  type Pod,
  podStatus,
  queueOfPod,
  readyCount,
  restartsOf,
  troubleKind,
  troubleText,
  volumeText,
} from './pod';
import { PodButtons } from './pod_actions';
import { PodMonitoring } from './pod_dialogs';
import { podWords } from './words';

const LogTail = later(async () => (await import('../log/log_tail')).LogTail);

/** Who made the pod: a job, an app, or another kind that has no page here. */
function Owner({ pod }: { pod: Pod }) {
  const { ownerReferences = [], namespace = '' } = pod.metadata;
  const [owner] = ownerReferences;
  if (!owner?.name) return <>-</>;
  const group = owner.apiVersion?.split('/')[0];
  const job = jobKinds.find((each) => each.kind === owner.kind && each.group === group);
  const list = (['notebooks', 'tensorboards'] as const).find(
    (page) => listKinds[page].kind === owner.kind,
  );
  const text = `${owner.kind}/${owner.name}`;
  if (job) return <a href={jobHref(namespace, kindId(job), owner.name)}>{text}</a>;
  if (list) return <a href={objectHref(list, namespace, owner.name)}>{text}</a>;
  return <>{text}</>;
}

/** Why it waits or has failed, on top; of a container that has failed also what it said last. */
function Cause({ pod }: { pod: Pod }) {
  const t = words.value;
  const text = troubleText(pod, t);
  if (!text) return null;
  const { namespace = '', name, uid = '' } = pod.metadata;
  const container = failedContainer(pod);
  const kind = troubleKind(pod);
  const title = {
    failed: t.failedBecause,
    'container failed': podWords.value.containerFailed(container ?? ''),
    waits: t.waitsBecause,
  }[kind];
  return (
    <>
      <p class={kind === 'waits' ? 'cause' : 'cause failed'}>
        <strong>{title}: </strong>
        {text}
      </p>
      {container && (
        <LogTail
          key={uid}
          namespace={namespace}
          pod={name}
          uid={uid}
          container={container}
          title={podWords.value.lastLines(container)}
        />
      )}
    </>
  );
}

function Facts({ pod }: { pod: Pod }) {
  const t = words.value;
  const own = podWords.value;
  const { metadata, spec, status } = pod;
  const amounts = amountsOfPod(pod);
  return (
    <dl class="facts">
      <Fact name={t.name}>{metadata.name}</Fact>
      <Fact name={t.project}>{metadata.namespace}</Fact>
      <Fact name={t.uid}>{metadata.uid}</Fact>
      <Fact name={t.cpuOf}>{requestAndLimit(amounts.get('cpu') ?? noAmount, cores)}</Fact>
      <Fact name={t.status}>
        <Phase phase={iconOfPod(pod)} text={podStatus(pod)} />
      </Fact>
      <Fact name={t.memoryOf}>{requestAndLimit(amounts.get('memory') ?? noAmount, bytes)}</Fact>
      <Fact name={own.readyContainers}>{readyCount(pod)}</Fact>
      <Fact name={t.restarts}>{restartsOf(pod)}</Fact>
      <Fact name={t.created}>
        <ExactTime at={metadata.creationTimestamp} />
      </Fact>
      <Fact name={own.startedAt}>
        <ExactTime at={status?.startTime} />
      </Fact>
      <Fact name={t.node}>{spec?.nodeName ?? '-'}</Fact>
      <Fact name={own.address}>{status?.podIP || '-'}</Fact>
      <Fact name={own.owner}>
        <Owner pod={pod} />
      </Fact>
      <Fact name={own.podGroup}>
        {groupOf(pod) ?? '-'} · {t.queue} {queueOfPod(pod)}
      </Fact>
      <Fact name={own.restartPolicy}>{spec?.restartPolicy ?? '-'}</Fact>
      <Fact name={own.account}>{spec?.serviceAccountName ?? '-'}</Fact>
      <Fact name={t.volumes}>
        {(spec?.volumes ?? []).map((volume) => (
          <div key={volume.name}>{volumeText(volume)}</div>
        ))}
        {!spec?.volumes?.length && '-'}
      </Fact>
      {extendedOfPod(pod).map((name) => (
        <Fact key={name} name={name}>
          {amounts.get(name)?.limit ?? '-'}
        </Fact>
      ))}
      <Fact name={t.labels}>
        <Labels labels={metadata.labels} />
      </Fact>
    </dl>
  );
}

function Body({ at, pod }: { at: ObjectRoute; pod: Pod }) {
  const own = podWords.value;
  const shown = ['containers', 'monitoring'].find((name) => name === at.tab) ?? '';
  const tab = (name: string, text: string) => ({
    href: objectHref('pods', at.namespace, at.name, name),
    text,
    current: shown === name,
  });
  return (
    <>
      <Cause pod={pod} />
      <Tabs
        label={at.name}
        tabs={[
          tab('', 'Pod'),
          tab('containers', own.containers),
          tab('monitoring', words.value.monitoring),
        ]}
      />
      {shown === 'containers' && <Containers pod={pod} />}
      {shown === 'monitoring' && <PodMonitoring pod={pod} />}
      {shown === '' && (
        <>
          <Facts pod={pod} />
          <ConditionsAndEvents object={pod} />
        </>
      )}
    </>
  );
}

export function PodDetails({ at }: { at: ObjectRoute }) {
  return (
    <Details<Pod> at={at} buttons={(pod) => <PodButtons pod={pod} />}>
      {(pod) => <Body at={at} pod={pod} />}
    </Details>
  );
}
