// A new manifest from an existing object.
import { stringify } from 'yaml';
import type { KubeObject } from '../live/protocol';

/**
 * What the server and the object's own life have written, and what belongs to that run alone: two jobs with the port
 * of one cannot both run. What users write under trainyard.dev, such as a claim's path, is theirs to keep.
 */
const ofTheServer =
  /^((kubectl|deployment|pv)\.kubernetes\.io\/|trainyard\.dev\/(ports?|restarts|priority|gpus|last-used|app-form)$)/;

/** What a job has put on its pods, by which it counts them. The queue is where the copy waits, too. */
const ofTheOwner =
  /^((training\.kubeflow\.org|tensorstack\.dev|scheduling\.k8s\.io)\/|scheduler\.tensorstack\.dev\/(?!queue$)|(replica-(type|index)|job-role)$)/;

export function copyName(name: string): string {
  // Names of pods grow from it: a long one is cut rather than refused.
  return `${name.slice(0, 45).replace(/[-.]+$/, '')}-copy`;
}

interface Source extends KubeObject {
  metadata: KubeObject['metadata'] & {
    generateName?: string;
    annotations?: Record<string, string>;
  };
  spec?: Record<string, unknown>;
}

function kept(
  all: Record<string, string> | undefined,
  owned: boolean,
): Record<string, string> | undefined {
  const some = Object.entries(all ?? {}).filter(
    ([key]) => !ofTheServer.test(key) && !(owned && ofTheOwner.test(key)),
  );
  return some.length > 0 ? Object.fromEntries(some) : undefined;
}

/** Not held, though the other may be: a new job is made to run. */
function specOf(spec: Record<string, unknown> = {}): Record<string, unknown> {
  const { runMode, ...rest } = spec;
  const { pause, ...modes } = (runMode ?? {}) as Record<string, unknown>;
  const { enabled: _, ...resume } = (pause ?? {}) as Record<string, unknown>;
  const left = { ...modes, ...(Object.keys(resume).length > 0 && { pause: resume }) };
  return { ...(Object.keys(left).length > 0 && { runMode: left }), ...rest };
}

/** The same job under another name, in `namespace` when that is not the chosen project anyway. */
export function cloneText(source: KubeObject, namespace?: string): string {
  const { apiVersion, kind, metadata, spec } = source as Source;
  const { generateName, name } = metadata;
  const owned = (metadata.ownerReferences ?? []).length > 0;
  const labels = kept(metadata.labels, owned);
  const annotations = kept(metadata.annotations, owned);
  const made = {
    apiVersion,
    kind,
    metadata: {
      ...(generateName ? { generateName } : { name: copyName(name) }),
      ...(namespace && { namespace }),
      ...(labels && { labels }),
      ...(annotations && { annotations }),
    },
    spec: specOf(spec),
  };
  return stringify(made, { lineWidth: 0, indentSeq: false, compat: 'yaml-1.1' });
}
