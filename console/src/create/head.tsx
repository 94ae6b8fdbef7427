import { language, words } from '../i18n';
import { shortKind } from '../jobs/create_menu';
import { jobsHref } from '../route';
import { Menu, MenuItem } from '../ui/menu';
import { applyText, fillIn, finish } from './deeds';
import { chooseJob } from './import';
import type { JobForm } from './job_form';
import { creatableKind } from './kind';
import { samples } from './samples';
import { SendButtons } from './send_buttons';
import { createWords } from './words';

function Samples({ form }: { form: JobForm }) {
  return (
    <Menu face={`${createWords.value.sample} ▾`}>
      {() =>
        samples[form.kind].map((sample) => (
          <MenuItem key={sample.en} onClick={() => form.replace(sample.text)}>
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
