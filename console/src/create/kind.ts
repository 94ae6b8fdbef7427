import { type CreatableJob, creatableJobs, creatableVersion, jobKinds, type Kind } from '../kinds';

export function creatableKind(kind: CreatableJob): Kind {
  const found = jobKinds.find(
    (each) => each.kind === kind && `${each.group}/${each.version}` === creatableVersion,
  );
  if (!found) throw new Error(`${kind} is no kind of job`);
  return found;
}

/** Undefined for what has no form. */
export function formKind(apiVersion: string, kind: string): CreatableJob | undefined {
  return creatableJobs.find((each) => each === kind && apiVersion === creatableVersion);
}
