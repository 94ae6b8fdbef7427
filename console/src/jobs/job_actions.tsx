import type { ComponentChildren } from 'preact';
import { refusalOf } from '../access';
import { words } from '../i18n';
import { type CreatableJob, creatableJobs } from '../kinds';
import { act, confirmDeletion } from '../objects/actions';
import { createJobHref, goTo } from '../route';
import { ActionButton } from '../ui/action_button';
import { MenuItem } from '../ui/menu';
import { showYaml } from '../ui/yaml_dialog';
import { holding, scalingOf } from './change';
import { askDebug, askScale } from './change_dialogs';
import { hasEnded, isDebug, isHeld, isKubeflow, type Job, kindOf } from './job';
import { runningPods, showStacks } from './stacks_dialog';
import { jobWords } from './words';

interface JobAction {
  text: string;
  /** Why it cannot be done now; empty: it can. */
  reason: string;
  dangerous?: true;
  run: () => void;
}

function hold(job: Job, held: boolean): void {
  const t = words.peek();
  const kind = kindOf(job);
  if (kind) void act(held ? t.pause : t.resume, 'PATCH', kind, job, holding(job, held));
}

function remove(job: Job, gone?: () => void): void {
  const { name, namespace = '' } = job.metadata;
  const kind = kindOf(job);
  if (!kind) return;
  const text = () => words.value.deleteText(kind.kind, name, namespace);
  confirmDeletion({ kind, object: job, text, done: gone });
}

/** The kind's form, where it has one. */
function formOf(job: Job): CreatableJob | undefined {
  return isKubeflow(job) ? undefined : creatableJobs.find((kind) => kind === job.kind);
}

/** A new one is made out of this one, in the form of its kind. */
function clone(job: Job): void {
  const { name, namespace = '' } = job.metadata;
  const form = formOf(job);
  if (form) goTo(createJobHref(form, { namespace, name }));
}

/** All that may be done with a job, each with the reason where it may not. `gone`: its deletion was asked for. */
function actionsOf(job: Job, gone?: () => void): JobAction[] {
  const t = words.value;
  const own = jobWords.value;
  const kind = kindOf(job);
  const may = (verb: string) =>
    kind
      ? refusalOf({
          verb,
          group: kind.group,
          resource: kind.plural,
          namespace: job.metadata.namespace ?? '',
        })
      : '';
  const ended = hasEnded(job) ? own.ended : '';
  const held = isHeld(job);
  const scaling = scalingOf(job);
  const debug = isKubeflow(job) ? own.noDebug : isDebug(job) ? own.isDebug : '';
  return [
    { text: t.yaml, reason: '', run: () => showYaml(job) },
    {
      text: own.stacks,
      reason:
        ended ||
        (runningPods(job).length > 0 ? '' : own.noneRuns) ||
        refusalOf({
          verb: 'get',
          group: '',
          resource: 'pods/stacks',
          namespace: job.metadata.namespace ?? '',
        }),
      run: () => showStacks(job),
    },
    {
      text: held ? t.resume : t.pause,
      reason: ended || may('patch'),
      run: () => hold(job, !held),
    },
    {
      text: own.scale,
      reason: (scaling ? ended : own.notElastic) || may('patch'),
      run: () => scaling && askScale(job, scaling),
    },
    { text: own.debug, reason: debug || may('create'), run: () => askDebug(job) },
    {
      text: own.clone,
      reason: (formOf(job) ? '' : own.noForm) || may('create'),
      run: () => clone(job),
    },
    { text: t.delete, reason: may('delete'), dangerous: true, run: () => remove(job, gone) },
  ];
}

/** As entries of a menu. */
export function JobMenu({ job }: { job: Job }) {
  return (
    <>
      {actionsOf(job).map(({ text, reason, dangerous, run }) => (
        <MenuItem key={text} reason={reason} class={dangerous ? 'red' : ''} onClick={run}>
          {text}
        </MenuItem>
      ))}
    </>
  );
}

/** As buttons. */
export function ActionBar(props: { job: Job; gone: () => void; children: ComponentChildren }) {
  const { job, gone, children } = props;
  return (
    <div class="bar">
      {children}
      {actionsOf(job, gone).map(({ text, reason, dangerous, run }) => (
        <ActionButton key={text} class={dangerous ? 'red' : ''} reason={reason} onClick={run}>
          {text}
        </ActionButton>
      ))}
    </div>
  );
}
