import { words } from './i18n';
import { listKinds } from './kinds';
import { useLiveOne } from './live/pool';
import type { KubeObject } from './live/protocol';

interface Node extends KubeObject {
  status?: { nodeInfo?: { kubeletVersion?: string } };
}

/** The version is that of the nodes, which are the same program. */
export function About() {
  const t = words.value;
  const { collection } = useLiveOne<Node>({ ...listKinds.nodes, namespace: '' });
  void collection.changes.value;
  const version = collection.all()[0]?.status?.nodeInfo?.kubeletVersion;
  return (
    <section class="card" aria-labelledby="about-title">
      <h1 id="about-title">{t.about}</h1>
      <p>{t.aboutText}</p>
      <dl class="facts">
        <div>
          <dt>{t.version}</dt>
          <dd>{version ?? '-'}</dd>
        </div>
        <div>
          <dt>{t.address}</dt>
          <dd>{location.origin}</dd>
        </div>
      </dl>
    </section>
  );
}
