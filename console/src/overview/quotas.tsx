import { project } from '../frame/project';
import { words } from '../i18n';
import { useLive } from '../live/pool';
import type { KubeObject } from '../live/protocol';
import { allLoaded, problemOf, useSnapshot } from '../live/snapshot';
import { parseQuantity } from '../quantity';
import { NotLoaded } from '../ui/not_loaded';

interface Quota extends KubeObject {
  status?: { hard?: Record<string, string>; used?: Record<string, string> };
}

function Bar({ name, used, hard }: { name: string; used: string; hard: string }) {
  const text = words.value.used(used, hard);
  return (
    <div>
      <dt>{name}</dt>
      <dd>
        <meter
          aria-label={name}
          min={0}
          max={parseQuantity(hard) || 1}
          value={parseQuantity(used) ?? 0}
          title={text}
        />{' '}
        {text}
      </dd>
    </div>
  );
}

/** What the project may use, and how much of it is in use. */
export function Quotas() {
  const t = words.value;
  const lives = useLive<Quota>([
    { group: '', version: 'v1', plural: 'resourcequotas', namespace: project.value },
  ]);
  const quotas = useSnapshot(lives);
  const problem = problemOf(lives);
  if (problem) return <p class="problem">{t.watchFailed(problem)}</p>;
  if (!allLoaded(lives)) return <NotLoaded />;
  if (quotas.length === 0) return <p>{t.noQuota}</p>;
  return (
    <>
      {quotas.map(({ metadata, status }) => (
        <section key={metadata.uid} class="quota">
          <h2>
            {metadata.namespace}/{metadata.name}
          </h2>
          <dl>
            {Object.entries(status?.hard ?? {}).map(([name, hard]) => (
              <Bar key={name} name={name} used={status?.used?.[name] ?? '0'} hard={hard} />
            ))}
          </dl>
        </section>
      ))}
    </>
  );
}
