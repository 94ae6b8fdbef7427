import { words } from '../i18n';
import { listKinds, resourceOf } from '../kinds';
import { useLive } from '../live/pool';
import { useSnapshot } from '../live/snapshot';
import { MonitorPanel } from '../monitor';
import { ConditionsAndEvents, Details } from '../objects/details';
import type { ObjectRoute } from '../objects/pages';
import {
  type Amounts,
  addContainers,
  bytes,
  cores,
  noAmount,
  parseQuantity,
  requestAndLimit,
} from '../quantity';
import { objectHref } from '../route';
import { ExactTime } from '../time';
import { ActionButton } from '../ui/action_button';
import { Fact } from '../ui/facts';
import { Labels } from '../ui/labels';
import { Phase } from '../ui/phase';
import { Scroll } from '../ui/scroll';
import { Tabs } from '../ui/tabs';
import { YamlButton } from '../ui/yaml_dialog';
import { type Node, type PlacedPod, podsOn, rolesOf, sharesOf, statusOf, taintText } from './node';
import { toggleNode, toggleWord, whyNotToggle } from './node_actions';
import { ShareBar, spell } from './share_bar';
import { clusterWords } from './words';

function Facts({ node }: { node: Node }) {
  const t = clusterWords.value;
  const all = words.value;
  const { name, uid, labels, creationTimestamp } = node.metadata;
  const { nodeInfo = {}, addresses = [] } = node.status ?? {};
  const system = [nodeInfo.osImage, nodeInfo.kernelVersion, nodeInfo.architecture];
  return (
    <dl class="facts">
      <Fact name={all.name}>{name}</Fact>
      <Fact name={all.uid}>{uid}</Fact>
      <Fact name={all.status}>
        <Phase phase={statusOf(node)} />
      </Fact>
      <Fact name={t.roles}>{rolesOf(node).join(', ') || '-'}</Fact>
      <Fact name={t.addresses}>
        {addresses.map(({ type, address }) => (
          <div key={type}>
            {type}: {address}
          </div>
        ))}
      </Fact>
      <Fact name={t.system}>{system.filter(Boolean).join(' · ') || '-'}</Fact>
      <Fact name={all.created}>
        <ExactTime at={creationTimestamp} />
      </Fact>
      <Fact name={t.taints}>{(node.spec?.taints ?? []).map(taintText).join(', ') || '-'}</Fact>
      <Fact name={all.labels}>
        <Labels labels={labels} />
      </Fact>
    </dl>
  );
}

function spelled(resource: string, text: string | undefined): string {
  const amount = parseQuantity(text);
  return amount === undefined ? '-' : spell(resource, amount);
}

function Resources({ node, pods }: { node: Node; pods: readonly PlacedPod[] }) {
  const t = clusterWords.value;
  const { capacity = {} } = node.status ?? {};
  return (
    <section aria-labelledby="resources-title">
      <h2 id="resources-title">{words.value.resources}</h2>
      <Scroll label={words.value.resources}>
        <table class="stack">
          <thead>
            <tr>
              <th scope="col">{t.resource}</th>
              <th scope="col">{t.requested}</th>
              <th scope="col">{t.allocatable}</th>
              <th scope="col">{t.capacity}</th>
            </tr>
          </thead>
          <tbody>
            {sharesOf(node, pods).map((share) => (
              <tr key={share.resource}>
                <th scope="row">{share.resource}</th>
                <td>
                  <ShareBar share={share} />
                </td>
                <td class="keep">{spell(share.resource, share.allocatable)}</td>
                <td class="keep">{spelled(share.resource, capacity[share.resource])}</td>
              </tr>
            ))}
          </tbody>
        </table>
      </Scroll>
    </section>
  );
}

function PodRow({ pod }: { pod: PlacedPod }) {
  const { name, namespace = '' } = pod.metadata;
  const sum: Amounts = new Map();
  addContainers(sum, pod.spec?.containers, 1);
  return (
    <tr>
      <th scope="row">
        <a href={objectHref('pods', namespace, name)}>{name}</a>
      </th>
      <td>{namespace}</td>
      <td>
        <Phase phase={pod.status?.phase ?? 'Pending'} />
      </td>
      <td class="keep">{requestAndLimit(sum.get('cpu') ?? noAmount, cores)}</td>
      <td class="keep">{requestAndLimit(sum.get('memory') ?? noAmount, bytes)}</td>
    </tr>
  );
}

function Pods({ pods }: { pods: readonly PlacedPod[] }) {
  const t = words.value;
  return (
    <section aria-labelledby="pods-title">
      <h2 id="pods-title">{clusterWords.value.podsHere}</h2>
      {pods.length === 0 ? (
        <p>{clusterWords.value.noPods}</p>
      ) : (
        <Scroll label={clusterWords.value.podsHere}>
          <table class="stack">
            <thead>
              <tr>
                <th scope="col">{t.name}</th>
                <th scope="col">{t.project}</th>
                <th scope="col">{t.phase}</th>
                <th scope="col">{t.cpuOf}</th>
                <th scope="col">{t.memoryOf}</th>
              </tr>
            </thead>
            <tbody>
              {pods.map((pod) => (
                <PodRow key={pod.metadata.uid} pod={pod} />
              ))}
            </tbody>
          </table>
        </Scroll>
      )}
    </section>
  );
}

function NodePage({ node }: { node: Node }) {
  const pods = useSnapshot(useLive<PlacedPod>([resourceOf(listKinds.pods, '')]));
  return (
    <>
      <Facts node={node} />
      <Resources node={node} pods={pods} />
      <Pods pods={podsOn(node, pods)} />
      <ConditionsAndEvents object={node} />
    </>
  );
}

export function NodeDetails({ at }: { at: ObjectRoute }) {
  const tab = (name: string, text: string) => ({
    href: objectHref('nodes', '', at.name, name),
    text,
    current: (at.tab === 'monitoring') === (name === 'monitoring'),
  });
  return (
    <Details<Node>
      at={at}
      buttons={(node) => (
        <>
          <YamlButton object={node} />
          <ActionButton reason={whyNotToggle()} onClick={() => toggleNode(node)}>
            {toggleWord(node)}
          </ActionButton>
        </>
      )}
    >
      {(node) => (
        <>
          <Tabs
            label={at.name}
            tabs={[tab('', 'Node'), tab('monitoring', words.value.monitoring)]}
          />
          {at.tab === 'monitoring' ? (
            <MonitorPanel source={{ namespace: '', node: at.name }} several />
          ) : (
            <NodePage node={node} />
          )}
        </>
      )}
    </Details>
  );
}
