import { ProjectField } from '../create/basic_card';
import { BoundSelect, BoundText } from '../create/fields';
import { useAskFree } from '../create/free';
import type { ManifestForm } from '../create/job_form';
import { useClaims } from '../create/known';
import { MakePage, type Making } from '../create/make_page';
import { addMount, freeVolumeName, removeMount } from '../create/pod';
import { ResourceFields } from '../create/resource_fields';
import { SchedulerFields } from '../create/scheduler_fields';
import { createWords } from '../create/words';
import { project } from '../frame/project';
import { listKinds, resourceOf } from '../kinds';
import { useLiveOne } from '../live/pool';
import { bytes, cores, parseQuantity } from '../quantity';
import { Fold } from '../ui/form/fold';
import { SelectField } from '../ui/form/inputs';
import { ListField } from '../ui/form/lists';
import { imageOf, type Notebook, withoutHold } from './app';
import { mapOf, readImageMaps } from './image_maps';
import {
  applyTemplate,
  claimPath,
  homeFolder,
  missingOfNotebook,
  mountPath,
  mountsOfNotebook,
  notebookContainer,
  pod,
  startOfNotebook,
  type Template,
  templateOf,
  templates,
} from './notebook_form';
import { appWords } from './words';

const making: Making = {
  page: 'notebooks',
  start: startOfNotebook,
  missing: missingOfNotebook,
  cleaned: withoutHold,
};

interface FormProps {
  form: ManifestForm;
}

/** What an image means on this machine; if nothing, what to type. */
function useImageHint(image: string): string {
  const t = appWords.value;
  const resource = resourceOf(listKinds.configmaps, 'kube-system');
  const { collection } = useLiveOne<{ metadata: { name: string }; data?: Record<string, string> }>(
    resource,
  );
  const maps = collection.get('kube-system/trainyard-images');
  if (!collection.loaded.value || image === '') return '';
  const map = mapOf(image, readImageMaps(maps?.data));
  return map ? t.imageMeans(map.kind, map.folder) : t.imageMeansNothing;
}

function ImageFields({ form }: FormProps) {
  const t = createWords.value;
  const own = appWords.value;
  const container = notebookContainer(form.value.value);
  const { collection } = useLiveOne<Notebook>(resourceOf(listKinds.notebooks, project.value));
  void collection.changes.value;
  const used = collection.all().flatMap((each) => imageOf(each) ?? []);
  const image = imageOf(form.value.value as unknown as Notebook) ?? '';
  return (
    <>
      <BoundSelect
        form={form}
        path={['spec', 'type']}
        label={own.imageType}
        required
        options={['jupyter']}
      />
      <BoundText
        form={form}
        path={[...container, 'image']}
        label={t.image}
        required
        options={[...new Set(['jupyter:latest', ...used])]}
        hint={useImageHint(image)}
      />
    </>
  );
}

function HomeFields({ form }: FormProps) {
  const t = appWords.value;
  const value = form.value.value;
  const claims = useClaims(form.namespace.value);
  const { home } = mountsOfNotebook(value);
  if (!home) {
    const add = () => {
      const name = freeVolumeName(value, pod, 'workingdir');
      const source = { persistentVolumeClaim: { claimName: '' } };
      const made = { name, source, path: homeFolder };
      form.change((document) => addMount(document, value, pod, notebookContainer(value), made));
    };
    return (
      <div class="field whole">
        <p class="hint">{t.noHome}</p>
        <button type="button" class="outlined" onClick={add}>
          {t.addHome}
        </button>
      </div>
    );
  }
  return (
    <>
      <BoundSelect
        form={form}
        path={claimPath(home)}
        label={t.homeClaim}
        required
        options={claims}
        {...(claims.length === 0 && { hint: t.noClaims })}
      />
      <BoundText
        form={form}
        path={mountPath(value, home)}
        label={createWords.value.bindPath}
        help={t.homeHelp}
        required
      />
    </>
  );
}

function amountsText({ requests, limits }: Template): string {
  const spell = (name: string, text: string | undefined) => {
    const value = parseQuantity(text) ?? 0;
    return name === 'cpu' ? cores(value) : name === 'memory' ? bytes(value) : String(value);
  };
  const pair = (name: string) => `${spell(name, requests[name])} / ${spell(name, limits[name])}`;
  return Object.keys(limits)
    .map((name) => `${name} ${pair(name)}`)
    .join(' · ');
}

/** An option of the select that stands for amounts of one's own. */
const custom = 'custom';

function TemplateFields({ form }: FormProps) {
  const t = appWords.value;
  const value = form.value.value;
  const container = notebookContainer(value);
  const chosen = templateOf(value);
  return (
    <>
      <SelectField
        label={t.template}
        help={t.templateHelp}
        value={chosen?.name ?? custom}
        options={[
          ...templates.map((each) => ({
            value: each.name,
            text: `${t.templates[each.name]} (${amountsText(each)})`,
          })),
          { value: custom, text: t.templates.custom },
        ]}
        onInput={(name) => {
          const next = templates.find((each) => each.name === name);
          if (next) form.change((document) => applyTemplate(document, value, next));
        }}
        whole
      />
      <ResourceFields form={form} container={container} required={false} />
    </>
  );
}

function DataFields({ form }: FormProps) {
  const t = appWords.value;
  const value = form.value.value;
  const container = notebookContainer(value);
  const claims = useClaims(form.namespace.value);
  const { data } = mountsOfNotebook(value);
  return (
    <ListField
      label={t.dataVolumes}
      items={data}
      add={() => {
        const name = freeVolumeName(value, pod, 'data');
        const made = { name, source: { persistentVolumeClaim: { claimName: '' } }, path: '' };
        form.change((document) => addMount(document, value, pod, container, made));
      }}
      remove={(index) => {
        const gone = data[index];
        if (gone) form.change((document) => removeMount(document, value, pod, container, gone));
      }}
    >
      {(mount) => (
        <div class="fields">
          <BoundSelect
            form={form}
            path={claimPath(mount)}
            label={t.dataClaim}
            required
            options={claims}
          />
          <BoundText
            form={form}
            path={mountPath(value, mount)}
            label={createWords.value.bindPath}
            required
          />
        </div>
      )}
    </ListField>
  );
}

/** The API has it; this server does not, and says so before somebody waits for it. */
function SshField() {
  const t = appWords.value;
  return (
    <div class="field whole">
      <label class="switch">
        <input type="checkbox" role="switch" aria-checked="false" disabled />
        {t.enableSsh}
      </label>
      <p class="hint">{t.noSsh}</p>
    </div>
  );
}

function Fields({ form }: FormProps) {
  const t = createWords.value;
  return (
    <Fold title={t.basic}>
      <BoundText form={form} path={['metadata', 'name']} label={t.name} required whole />
      {project.value === '' && <ProjectField form={form} />}
      <ImageFields form={form} />
      <HomeFields form={form} />
      <SshField />
      <SchedulerFields form={form} />
      <TemplateFields form={form} />
      <DataFields form={form} />
    </Fold>
  );
}

export function MakeNotebook() {
  useAskFree();
  return <MakePage making={making}>{(form) => <Fields form={form} />}</MakePage>;
}
