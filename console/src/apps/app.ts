// What the console reads of notebooks and TensorBoards. No screen in here.
import type { Condition, PodSpec } from '../jobs/job';
import type { KubeObject } from '../live/protocol';
import { type Amounts, addContainers } from '../quantity';

interface Scheduler {
  t9kScheduler?: { queue?: string; priority?: number };
}

/** What both kinds say of themselves. */
interface AppObject extends KubeObject {
  spec?: { suspend?: boolean; scheduler?: Scheduler };
  status?: {
    phase?: string;
    pod?: { reference?: { name?: string; uid?: string }; phase?: string };
    conditions?: Condition[];
  };
}

export interface Notebook extends AppObject {
  spec?: AppObject['spec'] & {
    type?: string;
    ssh?: { enabled?: boolean };
    template?: { spec?: PodSpec };
  };
}

export interface TensorBoard extends AppObject {
  spec?: AppObject['spec'] & {
    logDir?: {
      pvc?: { name: string; subPath?: string[]; subpath?: string[] }[];
      s3?: { uri?: string[] };
      http?: { url?: string[] };
    };
    trainingLogFilesets?: string[];
    image?: string;
    resources?: { requests?: Record<string, string>; limits?: Record<string, string> };
  };
}

export type App = Notebook | TensorBoard;

export function statusOfApp({ metadata, status }: App): string {
  if (metadata.deletionTimestamp) return 'Terminating';
  return status?.phase || 'Pending';
}

/** Where the server leads on from to the page that it serves. */
export function openHref({ kind = '', metadata }: KubeObject): string {
  const path = [metadata.namespace ?? '', kind.toLowerCase(), metadata.name];
  return `/open/${path.map(encodeURIComponent).join('/')}`;
}

/** Why it does not serve its page, as its controller says it; undefined for one that does, or is not meant to. */
export function troubleOfApp({ spec, status }: App): string | undefined {
  if (spec?.suspend || status?.phase === 'Running') return undefined;
  const ready = status?.conditions?.find(({ type }) => type === 'Ready');
  return ready?.status === 'False' ? ready.message || ready.reason : undefined;
}

export function queueOfApp({ spec }: App): string | undefined {
  const own = spec?.scheduler?.t9kScheduler;
  return own && (own.queue || 'default');
}

/** The pod that serves the page. */
export function podOfApp({ status }: App): string | undefined {
  return status?.pod?.reference?.name;
}

/** The container in which the notebook runs; the others stand beside it. */
export function imageOf({ spec }: Notebook): string | undefined {
  const containers = spec?.template?.spec?.containers ?? [];
  return (containers.find(({ name }) => name === 'notebook') ?? containers[0])?.image;
}

export function amountsOfNotebook({ spec }: Notebook): Amounts {
  const sum: Amounts = new Map();
  addContainers(sum, spec?.template?.spec?.containers, 1);
  return sum;
}

export function amountsOfBoard({ spec }: TensorBoard): Amounts {
  const sum: Amounts = new Map();
  if (spec?.resources) addContainers(sum, [{ resources: spec.resources }], 1);
  return sum;
}

export function claimsOfNotebook({ spec }: Notebook): string[] {
  const names = (spec?.template?.spec?.volumes ?? []).flatMap(
    ({ persistentVolumeClaim }) => persistentVolumeClaim?.claimName ?? [],
  );
  return [...new Set(names)];
}

/** ./log/ and /log are log. */
function tidy(folder: string): string {
  return folder
    .split('/')
    .filter((step) => step !== '' && step !== '.')
    .join('/');
}

/** Where the curves are, as TensorBoard shows it below its list of runs: `/pvc-mnist/log`. */
export function fileSets({ spec }: TensorBoard): string[] {
  const { pvc = [], s3, http } = spec?.logDir ?? {};
  const claims = pvc.flatMap(({ name, subPath, subpath }) => {
    const folders = subPath ?? subpath ?? [];
    if (folders.length === 0) return [`/pvc-${name}`];
    return folders.map((folder) => [`/pvc-${name}`, tidy(folder)].filter(Boolean).join('/'));
  });
  const older = (spec?.trainingLogFilesets ?? []).map((text) =>
    text.replace(/^t9k:\/\/pvc\/([^/]+)(.*)$/, (_, claim: string, folder: string) =>
      [`/pvc-${claim}`, tidy(folder)].filter(Boolean).join('/'),
    ),
  );
  return [...claims, ...(s3?.uri ?? []), ...(http?.url ?? []), ...older];
}

/** A copy is made to run, though the other may be held. */
export function withoutHold({ suspend: _, ...spec }: Record<string, unknown>) {
  return spec;
}
