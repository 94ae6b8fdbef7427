import { SwitchField, TextField } from '../ui/form/inputs';
import { ListField } from '../ui/form/lists';
import { getIn, mapAt } from './document';
import { BoundCommand, BoundText } from './fields';
import type { JobForm } from './job_form';
import { createWords } from './words';

const config = ['spec', 'mpiConfig'];
const mca = [...config, 'mca'];

function McaFields({ form }: { form: JobForm }) {
  const t = createWords.value;
  const rows = Object.entries(mapAt(form.value.value, mca));
  // The order is the user's: a renamed key keeps its place.
  const write = (next: [string, unknown][]) =>
    form.put(mca, next.length > 0 ? Object.fromEntries(next) : undefined);
  return (
    <ListField
      label={t.mca}
      items={rows}
      add={() => write([...rows, ['', '']])}
      remove={(index) => write(rows.toSpliced(index, 1))}
    >
      {([key, value], index) => (
        <div class="fields">
          <TextField
            label={t.key}
            value={key}
            onInput={(next) => {
              // Two of one name would be one.
              if (!rows.some(([other]) => other === next)) write(rows.with(index, [next, value]));
            }}
          />
          <TextField
            label={t.value}
            value={String(value)}
            onInput={(next) => write(rows.with(index, [key, next]))}
          />
        </div>
      )}
    </ListField>
  );
}

export function MpiFields({ form }: { form: JobForm }) {
  const t = createWords.value;
  const cleanUp = ['spec', 'runPolicy', 'cleanUpWorkers'];
  return (
    <>
      <BoundText form={form} path={[...config, 'home']} label={t.mpiHome} placeholder="/usr" />
      <BoundText form={form} path={['spec', 'ssh', 'sshdPath']} label={t.sshdPath} />
      <BoundText
        form={form}
        path={['spec', 'ssh', 'sshAuthMountPath']}
        label={t.sshAuthMountPath}
        placeholder="/root/.ssh"
      />
      <BoundCommand
        form={form}
        path={[...config, 'script']}
        label={t.script}
        help={t.scriptHelp}
        whole
      />
      <BoundCommand form={form} path={[...config, 'extraArgs']} label={t.extraArgs} whole />
      <McaFields form={form} />
      <SwitchField
        label={t.cleanUpWorkers}
        on={getIn(form.value.value, cleanUp) === true}
        onInput={(on) => form.scalar(cleanUp, on || undefined)}
      />
    </>
  );
}
