// What the form of a pod begins with and insists on. No screen in here.
import { listAt, textAt } from '../create/document';
import { missingInContainer } from '../create/needed';
import { fieldPathText, type Path } from '../editor/field_path';

export function newContainer(name: string) {
  return { name, image: '', resources: { limits: { cpu: '1', memory: '1Gi' } } };
}

export const startOfPod = {
  apiVersion: 'v1',
  kind: 'Pod',
  metadata: { name: '' },
  spec: { restartPolicy: 'Never', containers: [newContainer('container-1')] },
};

export function missingOfPod(value: Record<string, unknown>): string[] {
  const containers = ['containers', 'initContainers'].flatMap((list) =>
    listAt(value, ['spec', list]).map((_, index): Path => ['spec', list, index]),
  );
  const needed = [
    ['metadata', 'name'],
    ...containers.flatMap((path) => [
      [...path, 'name'],
      [...path, 'image'],
    ]),
  ].filter((path) => textAt(value, path) === '');
  const begun = containers.flatMap((path) => missingInContainer(value, ['spec'], path));
  return [...needed, ...begun].map(fieldPathText);
}

/** Without what the scheduler and the server have written: a copy is placed anew. */
export function copyOfPod(spec: Record<string, unknown>): Record<string, unknown> {
  const written = ['nodeName', 'serviceAccount', 'priority', 'preemptionPolicy', 'tolerations'];
  return Object.fromEntries(Object.entries(spec).filter(([name]) => !written.includes(name)));
}
