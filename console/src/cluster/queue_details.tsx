import { words } from '../i18n';
import { resourceOf } from '../kinds';
import { useLive } from '../live/pool';
import { useSnapshot } from '../live/snapshot';
import { ConditionsAndEvents, Details } from '../objects/details';
import type { ObjectRoute } from '../objects/pages';
import { Age, ExactTime } from '../time';
import { Fact } from '../ui/facts';
import { Labels } from '../ui/labels';
import { Phase } from '../ui/phase';
import { Scroll } from '../ui/scroll';
import { YamlButton } from '../ui/yaml_dialog';
import { amountsText, countsOf, groupsIn, type PodGroup, type Queue, stateOf } from './queue';
import { groupKind } from './queue_list';
import { clusterWords } from './words';

function Facts({ queue, groups }: { queue: Queue; groups: readonly PodGroup[] }) {
  const t = clusterWords.value;
  const all = words.value;
  const { spec = {}, metadata } = queue;
  const { running, pending } = countsOf(groups);
  return (
    <dl class="facts">
      <Fact name={all.name}>{metadata.name}</Fact>
      <Fact name={all.uid}>{metadata.uid}</Fact>
      <Fact name={t.state}>
        <Phase phase={stateOf(queue)} />
      </Fact>
      <Fact name={t.groups}>{t.inQueue(running, pending)}</Fact>
      <Fact name={all.weight}>{spec.weight ?? '-'}</Fact>
      <Fact name={t.priority}>{spec.priority ?? 0}</Fact>
      <Fact name={t.parent}>{spec.parent || '-'}</Fact>
      <Fact name={t.reclaimable}>{spec.reclaimable === false ? t.no : t.yes}</Fact>
      <Fact name={t.capability}>{amountsText(spec.capability)}</Fact>
      <Fact name={t.deserved}>{amountsText(spec.deserved)}</Fact>
      <Fact name={t.guarantee}>{amountsText(spec.guarantee?.resource)}</Fact>
      <Fact name={all.created}>
        <ExactTime at={metadata.creationTimestamp} />
      </Fact>
      <Fact name={all.labels}>
        <Labels labels={metadata.labels} />
      </Fact>
    </dl>
  );
}

function Groups({ groups }: { groups: readonly PodGroup[] }) {
  const t = words.value;
  if (groups.length === 0) return <p>{clusterWords.value.noGroups}</p>;
  return (
    <Scroll label={clusterWords.value.groups}>
      <table class="stack">
        <thead>
          <tr>
            <th scope="col">{t.name}</th>
            <th scope="col">{t.project}</th>
            <th scope="col">{clusterWords.value.phase}</th>
            <th scope="col">{clusterWords.value.minMember}</th>
            <th scope="col">{t.created}</th>
          </tr>
        </thead>
        <tbody>
          {groups.map(({ metadata, spec, status }) => (
            <tr key={metadata.uid}>
              <th scope="row">{metadata.name}</th>
              <td>{metadata.namespace}</td>
              <td>
                <Phase phase={status?.phase ?? 'Pending'} />
              </td>
              <td>{spec?.minMember ?? 1}</td>
              <td>
                <Age at={metadata.creationTimestamp} />
              </td>
            </tr>
          ))}
        </tbody>
      </table>
    </Scroll>
  );
}

function QueuePage({ queue }: { queue: Queue }) {
  const all = useSnapshot(useLive<PodGroup>([resourceOf(groupKind, '')]));
  const groups = groupsIn(queue, all);
  return (
    <>
      <Facts queue={queue} groups={groups} />
      <section aria-labelledby="groups-title">
        <h2 id="groups-title">{clusterWords.value.groups}</h2>
        <Groups groups={groups} />
      </section>
      <ConditionsAndEvents object={queue} />
    </>
  );
}

export function QueueDetails({ at }: { at: ObjectRoute }) {
  return (
    <Details<Queue> at={at} buttons={(queue) => <YamlButton object={queue} />}>
      {(queue) => <QueuePage queue={queue} />}
    </Details>
  );
}
