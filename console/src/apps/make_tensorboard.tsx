import { ProjectField } from '../create/basic_card';
import { textAt } from '../create/document';
import { BoundSelect, BoundText, BoundTexts } from '../create/fields';
import { useAskFree } from '../create/free';
import type { ManifestForm } from '../create/job_form';
import { useClaims } from '../create/known';
import { MakePage, type Making } from '../create/make_page';
import { ResourceFields } from '../create/resource_fields';
import { SchedulerFields } from '../create/scheduler_fields';
import { createWords } from '../create/words';
import { fieldPathText } from '../editor/field_path';
import { project } from '../frame/project';
import { Fold } from '../ui/form/fold';
import { withoutHold } from './app';
import { appWords } from './words';

const claim = ['spec', 'logDir', 'pvc', 0];

export const makingTensorBoard: Making = {
  page: 'tensorboards',
  start: {
    apiVersion: 'tensorstack.dev/v1beta1',
    kind: 'TensorBoard',
    metadata: { name: '' },
    spec: {
      logDir: { pvc: [{ name: '' }] },
      image: 'tensorflow/tensorflow:2.14.0',
      resources: {
        requests: { cpu: '100m', memory: '256Mi' },
        limits: { cpu: '1', memory: '1Gi' },
      },
    },
  },
  missing: (value) =>
    [
      ['metadata', 'name'],
      [...claim, 'name'],
      ['spec', 'image'],
    ]
      .filter((path) => textAt(value, path) === '')
      .map(fieldPathText),
  cleaned: withoutHold,
};

function Fields({ form }: { form: ManifestForm }) {
  const t = createWords.value;
  return (
    <Fold title={t.basic}>
      <BoundText form={form} path={['metadata', 'name']} label={t.name} required />
      {project.value === '' && <ProjectField form={form} />}
      <BoundText
        form={form}
        path={['spec', 'image']}
        label={t.image}
        hint={appWords.value.boardImageHint}
        required
      />
      <BoundSelect
        form={form}
        path={[...claim, 'name']}
        label={t.logPvc}
        required
        options={useClaims(form.namespace.value)}
      />
      <BoundTexts
        form={form}
        path={[...claim, 'subPath']}
        label={t.logPaths}
        help={t.logPathsHelp}
      />
      <SchedulerFields form={form} />
      <ResourceFields form={form} container={['spec']} required={false} />
    </Fold>
  );
}

export function MakeTensorBoard() {
  useAskFree();
  return <MakePage making={makingTensorBoard}>{(form) => <Fields form={form} />}</MakePage>;
}
