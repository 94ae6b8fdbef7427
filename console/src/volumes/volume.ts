// What is read of volume claims, and what becomes of them. No screen in here.
import type { Condition } from '../jobs/job';
import type { KubeObject } from '../live/protocol';
import { parseQuantity } from '../quantity';

export interface Claim extends KubeObject {
  metadata: KubeObject['metadata'] & { annotations?: Record<string, string> };
  spec?: {
    storageClassName?: string;
    accessModes?: string[];
    volumeName?: string;
    resources?: { requests?: { storage?: string } };
  };
  status?: { phase?: string; capacity?: { storage?: string }; conditions?: Condition[] };
}

/** The volume behind a claim. */
export interface Volume extends KubeObject {
  spec?: {
    persistentVolumeReclaimPolicy?: string;
    hostPath?: { path?: string };
    local?: { path?: string };
  };
}

export interface PodUsingClaims extends KubeObject {
  spec?: { volumes?: { persistentVolumeClaim?: { claimName?: string } }[] };
  status?: { phase?: string };
}

export const accessModes = ['ReadWriteMany', 'ReadWriteOnce', 'ReadOnlyMany'] as const;

export function phaseOf({ metadata, status }: Claim): string {
  return metadata.deletionTimestamp ? 'Terminating' : status?.phase || 'Pending';
}

/** In bytes; undefined when nobody has said it. */
export function sizeOf({ spec, status }: Claim): number | undefined {
  return parseQuantity(status?.capacity?.storage ?? spec?.resources?.requests?.storage);
}

export function sizeText({ spec, status }: Claim): string {
  return status?.capacity?.storage ?? spec?.resources?.requests?.storage ?? '-';
}

export function isReadOnly({ metadata }: Claim): boolean {
  return metadata.annotations?.['trainyard.dev/read-only'] === 'true';
}

export function folderOf({ spec }: Volume): string | undefined {
  return spec?.hostPath?.path ?? spec?.local?.path;
}

/** The names of the pods that hold the claim's files: those that have not ended. */
export function usersOf(claim: Claim, pods: readonly PodUsingClaims[]): string[] {
  return pods
    .filter(
      ({ metadata, spec, status }) =>
        metadata.namespace === claim.metadata.namespace &&
        status?.phase !== 'Succeeded' &&
        status?.phase !== 'Failed' &&
        (spec?.volumes ?? []).some(
          (each) => each.persistentVolumeClaim?.claimName === claim.metadata.name,
        ),
    )
    .map(({ metadata }) => metadata.name)
    .sort();
}

/** Whether its files go with the claim; undefined while the volume is not known. */
export function loses(volume: Volume | undefined): boolean | undefined {
  return volume && volume.spec?.persistentVolumeReclaimPolicy === 'Delete';
}

export type SizeProblem = 'missing' | 'malformed' | 'notLarger';

/** What is wrong with a size as it was typed. `present` is what there is: the new one must exceed it. */
export function sizeProblem(text: string, present?: number): SizeProblem | undefined {
  if (text.trim() === '') return 'missing';
  const size = parseQuantity(text.trim());
  if (size === undefined || size <= 0) return 'malformed';
  return present !== undefined && size <= present ? 'notLarger' : undefined;
}
