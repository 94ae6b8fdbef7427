// Columns that lists of several kinds have.
import { project } from '../frame/project';
import type { KubeObject } from '../live/protocol';
import { Age } from '../time';
import { Labels } from '../ui/labels';
import type { Column } from './columns';

export const labelColumn: Column<KubeObject> = {
  name: 'labels',
  title: (t) => t.labels,
  cell: ({ metadata }) => <Labels labels={metadata.labels} />,
  wraps: true,
};

/** Where one project was chosen, its name in every row would tell nothing. */
export const projectColumn: Column<KubeObject> = {
  name: 'project',
  title: (t) => t.project,
  cell: ({ metadata }) => metadata.namespace,
  tells: () => project.value === '',
};

export const createdColumn: Column<KubeObject> = {
  name: 'created',
  title: (t) => t.created,
  cell: ({ metadata }) => <Age at={metadata.creationTimestamp} />,
};
