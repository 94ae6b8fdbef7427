import { words } from '../i18n';
import { type Amounts, addContainers, bytes, cores, noAmount, requestAndLimit } from '../quantity';
import { Age } from '../time';
import { CopyButton } from '../ui/copy';
import { Fact } from '../ui/facts';
import type { Container, ContainerStatus, Pod } from './pod';
import { podWords } from './words';

function State({ state }: { state: ContainerStatus['state'] }) {
  const t = words.value;
  if (state?.running) {
    return (
      <>
        Running · <Age at={state.running.startedAt} />
      </>
    );
  }
  if (state?.terminated) {
    const { reason, exitCode = 0, finishedAt, message } = state.terminated;
    return (
      <>
        Terminated · {reason || '-'} · {t.exitedWith(exitCode)} · <Age at={finishedAt} />
        {message && <pre class="said">{message}</pre>}
      </>
    );
  }
  if (!state?.waiting) return <>-</>;
  return (
    <>
      Waiting · {state.waiting.reason || '-'}
      {state.waiting.message && <p>{state.waiting.message}</p>}
    </>
  );
}

function Texts({ texts }: { texts: string[] }) {
  if (texts.length === 0) return <>-</>;
  return (
    <>
      {texts.map((text) => (
        <div key={text}>{text}</div>
      ))}
    </>
  );
}

function Words({ words: list }: { words: string[] | undefined }) {
  return list?.length ? <code>{list.join(' ')}</code> : <>-</>;
}

interface ContainerProps {
  title: string;
  container: Container;
  status: ContainerStatus | undefined;
}

function ContainerFacts({ title, container, status }: ContainerProps) {
  const t = words.value;
  const own = podWords.value;
  const amounts: Amounts = new Map();
  addContainers(amounts, [container], 1);
  const environment = (container.env ?? []).map(
    ({ name, value, valueFrom }) => `${name}=${valueFrom ? own.fromElsewhere : (value ?? '')}`,
  );
  const mounts = (container.volumeMounts ?? []).map(
    ({ name, mountPath, subPath, readOnly }) =>
      `${mountPath} ← ${name}${subPath ? `/${subPath}` : ''}${readOnly ? ` (${own.readOnly})` : ''}`,
  );
  const ports = (container.ports ?? []).map(
    ({ containerPort, protocol = 'TCP', name }) => `${containerPort}/${protocol} ${name ?? ''}`,
  );
  return (
    <section aria-label={title}>
      <h2>{title}</h2>
      <dl class="facts">
        <Fact name={own.state}>
          <State state={status?.state} />
        </Fact>
        <Fact name={t.image}>
          {container.image ?? '-'} {container.image && <CopyButton text={container.image} small />}
        </Fact>
        <Fact name={own.ready}>{status?.ready ? 'True' : 'False'}</Fact>
        <Fact name={t.restarts}>{status?.restartCount ?? 0}</Fact>
        {status?.lastState?.terminated && (
          <Fact name={own.lastState}>
            <State state={status.lastState} />
          </Fact>
        )}
        <Fact name={t.cpuOf}>{requestAndLimit(amounts.get('cpu') ?? noAmount, cores)}</Fact>
        <Fact name={t.memoryOf}>{requestAndLimit(amounts.get('memory') ?? noAmount, bytes)}</Fact>
        <Fact name={own.command}>
          <Words words={container.command} />
        </Fact>
        <Fact name={own.args}>
          <Words words={container.args} />
        </Fact>
        <Fact name={own.workingDir}>{container.workingDir ?? '-'}</Fact>
        <Fact name={own.ports}>
          <Texts texts={ports} />
        </Fact>
        <Fact name={own.mounts}>
          <Texts texts={mounts} />
        </Fact>
        <Fact name={own.environment}>
          <Texts texts={environment} />
        </Fact>
      </dl>
    </section>
  );
}

/** The containers that do the work, then those that ran before them. */
export function Containers({ pod: { spec, status } }: { pod: Pod }) {
  const own = podWords.value;
  const statusOf = (name: string, statuses: ContainerStatus[] | undefined) =>
    statuses?.find((each) => each.name === name);
  return (
    <>
      {(spec?.containers ?? []).map((container) => (
        <ContainerFacts
          key={container.name}
          title={own.container(container.name)}
          container={container}
          status={statusOf(container.name, status?.containerStatuses)}
        />
      ))}
      {(spec?.initContainers ?? []).map((container) => (
        <ContainerFacts
          key={container.name}
          title={own.initContainer(container.name)}
          container={container}
          status={statusOf(container.name, status?.initContainerStatuses)}
        />
      ))}
    </>
  );
}
