import { useSignal } from '@preact/signals';
import { project } from '../frame/project';
import { words } from '../i18n';
import { type CreatableJob, type Kind, resourceOf } from '../kinds';
import { newestFirst } from '../live/collection';
import { useLive } from '../live/pool';
import type { KubeObject } from '../live/protocol';
import { allLoaded, useSnapshot } from '../live/snapshot';
import { Age } from '../time';
import { Dialog } from '../ui/dialog';
import { showDialog } from '../ui/shown_dialog';
import { creatableKind } from './kind';
import { createWords } from './words';

/** Lets the user choose one of the project's jobs of the kind. */
export function chooseJob(kind: CreatableJob, chosen: (job: KubeObject) => void): void {
  chooseObject(creatableKind(kind), chosen);
}

/** Lets the user choose one of the project's objects of the kind. */
export function chooseObject(kind: Kind, chosen: (object: KubeObject) => void): void {
  showDialog((close) => (
    <Chooser
      kind={kind}
      close={close}
      chosen={(job) => {
        close();
        chosen(job);
      }}
    />
  ));
}

function Chooser(props: { kind: Kind; close: () => void; chosen: (job: KubeObject) => void }) {
  const { kind, close, chosen } = props;
  const t = createWords.value;
  const search = useSignal('');
  const lives = useLive<KubeObject>([resourceOf(kind, project.value)]);
  const jobs = [...useSnapshot(lives)]
    .filter(({ metadata }) => metadata.name.includes(search.value.trim().toLowerCase()))
    .sort(newestFirst);
  return (
    <Dialog title={t.importTitle(kind.kind)} onClose={close}>
      <p>{t.importText}</p>
      <search class="filters">
        <input
          type="search"
          aria-label={words.value.search}
          placeholder={words.value.search}
          onInput={(event) => {
            search.value = event.currentTarget.value;
          }}
        />
      </search>
      {jobs.length === 0 && <p>{allLoaded(lives) ? t.importNone(kind.kind) : t.loading}</p>}
      <ul class="choices">
        {jobs.slice(0, 100).map((job) => (
          <li key={job.metadata.uid}>
            <button type="button" onClick={() => chosen(job)}>
              <span>
                {project.value === '' && `${job.metadata.namespace}/`}
                {job.metadata.name}
              </span>
              <Age at={job.metadata.creationTimestamp} />
            </button>
          </li>
        ))}
      </ul>
    </Dialog>
  );
}
