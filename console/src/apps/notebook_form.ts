// What the form of a notebook reads and writes. No screen in here.
import type { Document } from 'yaml';
import { listAt, mapAt, setIn, textAt } from '../create/document';
import { type Mount, mountsOf } from '../create/pod';
import { fieldPathText, type Path } from '../editor/field_path';

export const homeFolder = '/t9k/mnt';
export const pod: Path = ['spec', 'template', 'spec'];

/** How much a notebook may use; what it asks for is what it is sure to get. */
export interface Template {
  name: 'small' | 'medium' | 'large' | 'largeGpu';
  requests: Record<string, string>;
  limits: Record<string, string>;
}

export const templates: readonly Template[] = [
  {
    name: 'small',
    requests: { cpu: '500m', memory: '1Gi' },
    limits: { cpu: '1', memory: '2Gi' },
  },
  {
    name: 'medium',
    requests: { cpu: '2', memory: '4Gi' },
    limits: { cpu: '4', memory: '8Gi' },
  },
  {
    name: 'large',
    requests: { cpu: '4', memory: '16Gi' },
    limits: { cpu: '16', memory: '32Gi' },
  },
  {
    name: 'largeGpu',
    requests: { cpu: '4', memory: '16Gi', 'nvidia.com/gpu': '1' },
    limits: { cpu: '16', memory: '32Gi', 'nvidia.com/gpu': '1' },
  },
];

export const startOfNotebook = {
  apiVersion: 'tensorstack.dev/v1beta1',
  kind: 'Notebook',
  metadata: { name: '' },
  spec: {
    type: 'jupyter',
    template: {
      spec: {
        containers: [
          {
            name: 'notebook',
            image: 'jupyter:latest',
            resources: { requests: templates[0]?.requests, limits: templates[0]?.limits },
            volumeMounts: [{ name: 'workingdir', mountPath: homeFolder }],
          },
        ],
        volumes: [{ name: 'workingdir', persistentVolumeClaim: { claimName: '' } }],
      },
    },
  },
};

/** The one named notebook, else the first. */
export function notebookContainer(value: unknown): Path {
  const containers = listAt(value, [...pod, 'containers']);
  const found = containers.findIndex((each) => textAt(each, ['name']) === 'notebook');
  return [...pod, 'containers', Math.max(0, found)];
}

function sameAmounts(a: Record<string, unknown>, b: Record<string, string>): boolean {
  const names = new Set([...Object.keys(a), ...Object.keys(b)]);
  return [...names].every((name) => String(a[name]) === b[name]);
}

/** Undefined: the amounts are those of no template. */
export function templateOf(value: unknown): Template | undefined {
  const resources = [...notebookContainer(value), 'resources'];
  return templates.find(
    ({ requests, limits }) =>
      sameAmounts(mapAt(value, [...resources, 'requests']), requests) &&
      sameAmounts(mapAt(value, [...resources, 'limits']), limits),
  );
}

export function applyTemplate(document: Document, value: unknown, template: Template): void {
  const { requests, limits } = template;
  setIn(document, [...notebookContainer(value), 'resources'], { requests, limits });
}

/** The claim that its home folder is in, and those beside it. */
export function mountsOfNotebook(value: unknown): { home: Mount | undefined; data: Mount[] } {
  const all = mountsOf(value, pod, notebookContainer(value)).filter(
    ({ type }) => type === 'persistentVolumeClaim',
  );
  const home = all.find(({ path }) => path === homeFolder) ?? all[0];
  return { home, data: all.filter((each) => each !== home) };
}

export function claimPath({ volume }: Mount): Path {
  return [...pod, 'volumes', volume, 'persistentVolumeClaim', 'claimName'];
}

export function mountPath(value: unknown, { mount }: Mount): Path {
  return [...notebookContainer(value), 'volumeMounts', mount, 'mountPath'];
}

/** Without a volume its files would go with its pod: the form insists on one, the text does not. */
export function missingOfNotebook(value: Record<string, unknown>): string[] {
  const { home, data } = mountsOfNotebook(value);
  const paths = [
    ['metadata', 'name'],
    [...notebookContainer(value), 'image'],
    ...[...(home ? [home] : []), ...data].flatMap((each) => [
      claimPath(each),
      mountPath(value, each),
    ]),
  ];
  return paths.filter((path) => textAt(value, path) === '').map(fieldPathText);
}
