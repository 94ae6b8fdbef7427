import { Sample } from './curve_chart';
import { isShown, mostAtFirst, type Run } from './runs';
import { curveWords } from './words';

/** One button a run, which hides and shows it in all charts. */
export function RunLegend(props: {
  runs: readonly Run[];
  chosen: ReadonlyMap<string, boolean>;
  toggle: (run: Run) => void;
}) {
  const { runs, chosen, toggle } = props;
  const t = curveWords.value;
  const hidden = runs.filter((run) => !isShown(run, chosen)).length;
  return (
    <section class="runs" aria-label={t.runs}>
      <div class="legend">
        {runs.map((run) => (
          <button
            key={run.id}
            type="button"
            class="plain"
            aria-pressed={isShown(run, chosen)}
            onClick={() => toggle(run)}
          >
            <Sample number={run.number} />
            {run.name}
          </button>
        ))}
      </div>
      {hidden > 0 && runs.length > mostAtFirst && <p class="note">{t.moreRuns(hidden)}</p>}
    </section>
  );
}
