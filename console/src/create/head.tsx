import { previewYaml } from '../editor/preview';
import { language, words } from '../i18n';
import { shortKind } from '../jobs/create_menu';
import type { KubeObject } from '../live/protocol';
import { jobsHref } from '../route';
import { Menu, MenuItem } from '../ui/menu';
import { applyText, fillIn, finish } from './deeds';
import { chooseJob } from './import';
import type { JobForm } from './job_form';
import { creatableKind } from './kind';
import { type Sample, samples } from './samples';
import { home } from './send';
import { notesOf, SendButtons } from './send_buttons';
import { createWords } from './words';

function begin(form: JobForm, { text, onlyYaml }: Sample): void {
  if (!onlyYaml) {
    form.replace(text);
    return;
  }
  const created = (objects: readonly KubeObject[]) => finish(form, objects);
  previewYaml({ text, project: home(), created, notes: notesOf });
}

function Samples({ form }: { form: JobForm }) {
  return (
    <Menu face={`${createWords.value.sample} ▾`}>
      {() =>
        samples[form.kind].map((sample) => (
          <MenuItem
            key={sample.en}
            reason={sample.why?.[language.value]}
            onClick={() => begin(form, sample)}
          >
            {sample[language.value]}
          </MenuItem>
        ))
      }
    </Menu>
  );
}

/** What the form can be filled from, at the left; what becomes of it, at the right. */
export function Head({ form }: { form: JobForm }) {
  const t = createWords.value;
  return (
    <div class="bar">
      <div class="bar">
        <a href={jobsHref}>‹ {words.value.back}</a>
        <button type="button" onClick={() => chooseJob(form.kind, (job) => fillIn(form, job))}>
          {t.importKind(shortKind(form.kind))}
        </button>
        <Samples form={form} />
        {form.earlier.value !== undefined && (
          <button type="button" onClick={() => form.restore()}>
            {t.restore}
          </button>
        )}
      </div>
      <SendButtons
        form={form}
        kind={creatableKind(form.kind)}
        done={(objects) => finish(form, objects)}
        apply={(text) => applyText(form, text)}
      />
    </div>
  );
}
