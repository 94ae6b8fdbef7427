import { fileSize, inert } from './files';
import { forgetEnded, type Upload, uploads } from './uploads';
import { volumeWords } from './words';

function Line({ upload }: { upload: Upload }) {
  const t = volumeWords.value;
  const { name, total, sent, state, problem } = upload;
  const shown = inert(name);
  const going = state.value === 'waiting' || state.value === 'sending';
  return (
    <li>
      <span class="what">{shown}</span>
      {going ? (
        <>
          <progress aria-label={shown} max={total || 1} value={sent.value} />
          <span class="keep">
            {state.value === 'waiting' ? t.waiting : `${fileSize(sent.value)} / ${fileSize(total)}`}
          </span>
          <button
            type="button"
            class="plain"
            aria-label={t.stop(shown)}
            onClick={() => upload.stop()}
          >
            ×
          </button>
        </>
      ) : (
        <span class={state.value === 'failed' ? 'problem' : ''}>
          {state.value === 'failed'
            ? inert(problem.value)
            : t[state.value === 'done' ? 'done' : 'stopped']}
        </span>
      )}
    </li>
  );
}

/** What this tab sends to the volume, and what has become of it. */
export function UploadList({ root }: { root: string }) {
  const t = volumeWords.value;
  const own = uploads.value.filter((each) => each.root === root);
  if (own.length === 0) return null;
  return (
    <section class="uploads" aria-label={t.uploads} aria-live="polite">
      <ul>
        {own.map((each) => (
          <Line key={each.number} upload={each} />
        ))}
      </ul>
      <button type="button" onClick={forgetEnded}>
        {t.forget}
      </button>
    </section>
  );
}
