import type { Job } from '../jobs/job';
import { CopyButton } from '../ui/copy';
import type { CurveList } from './curves';
import { curveWords } from './words';

function Snippet({ text }: { text: string }) {
  return (
    <div class="snippet">
      <pre class="command">{text}</pre>
      <CopyButton text={text} />
    </div>
  );
}

const inSpec = `spec:
  tensorboardSpec:
    image: tensorboard
    logDir:
      pvc:
      - {name: VOLUME, subPath: [log]}`;

const inAnnotation = `metadata:
  annotations:
    trainyard.dev/logdir: VOLUME/log`;

function program(folder: string): string {
  return `from torch.utils.tensorboard import SummaryWriter

writer = SummaryWriter("${folder}")
for step, loss in enumerate(train()):
    writer.add_scalar("train/loss", loss, step)`;
}

/** How a job comes to have curves. */
export function Empty({ list, job }: { list: CurveList; job: Job }) {
  const t = curveWords.value;
  const hasSpec = ['PyTorchTrainingJob', 'TensorFlowTrainingJob'].includes(job.kind ?? '');
  const [folder] = list.folders;
  const places = list.folders.map(({ volume, path }) => t.inVolume(volume, path)).join(', ');
  return (
    <div class="no-curves">
      <h2>{t.emptyTitle}</h2>
      {!folder && list.elsewhere.length > 0 && <p>{t.elsewhere(list.elsewhere.join(', '))}</p>}
      {!folder && list.elsewhere.length === 0 && (
        <>
          <p>{t.notSaid}</p>
          <Snippet text={hasSpec ? inSpec : inAnnotation} />
          <p>{t.thenWrite}</p>
          <Snippet text={program('/mnt/log')} />
        </>
      )}
      {folder && (
        <>
          <p>{t.nothingThere(places)}</p>
          <Snippet text={program(`…/${folder.path}`)} />
        </>
      )}
      <p class="note">{t.emptyThen}</p>
    </div>
  );
}
