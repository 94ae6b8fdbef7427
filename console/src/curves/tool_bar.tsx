import { useId } from 'preact/hooks';
import { type Job, kindIdOf } from '../jobs/job';
import { CheckItem, Menu } from '../ui/menu';
import { axes } from './curves';
import type { Settings } from './settings';
import { curveWords } from './words';

const mostJobs = 200;

/** How a job is called in the address. */
export function idOf(job: Job): string {
  return `${kindIdOf(job)}/${job.metadata.name}`;
}

interface ToolBarProps {
  settings: Settings;
  change: (part: Partial<Settings>) => void;
  /** All others of the project, newest first. */
  candidates: readonly Job[];
  search: string;
  onSearch: (text: string) => void;
  zoomed: boolean;
  /** By a factor; undefined: all again. */
  onZoom: (factor: number | undefined) => void;
  onRefresh: () => void;
}

function Compare({
  settings,
  change,
  candidates,
}: Pick<ToolBarProps, 'settings' | 'change' | 'candidates'>) {
  const t = curveWords.value;
  const { others } = settings;
  const face = others.length > 0 ? t.compareCount(others.length) : t.compare;
  return (
    <Menu face={face} class="soft">
      {() => (
        <div class="compare">
          {candidates.length === 0 && <p>{t.noOthers}</p>}
          {candidates.slice(0, mostJobs).map((job) => {
            const id = idOf(job);
            const checked = others.includes(id);
            return (
              <CheckItem
                key={id}
                checked={checked}
                onChange={() =>
                  change({
                    others: checked ? others.filter((each) => each !== id) : [...others, id],
                  })
                }
              >
                {job.metadata.name}
              </CheckItem>
            );
          })}
        </div>
      )}
    </Menu>
  );
}

export function ToolBar(props: ToolBarProps) {
  const { settings, change, search, onSearch, zoomed, onZoom, onRefresh } = props;
  const t = curveWords.value;
  const id = useId();
  return (
    <div class="bar curve-bar">
      <label>
        {t.axis}{' '}
        <select
          value={settings.axis}
          onChange={(event) => {
            const axis = axes.find((each) => each === event.currentTarget.value);
            if (axis) change({ axis });
          }}
        >
          {axes.map((axis) => (
            <option key={axis} value={axis}>
              {t.axes[axis]}
            </option>
          ))}
        </select>
      </label>
      <span class="slider">
        <label for={id}>{t.smoothing}</label>{' '}
        <input
          id={id}
          type="range"
          min="0"
          max="0.99"
          step="0.01"
          value={settings.smoothing}
          onInput={(event) => change({ smoothing: Number(event.currentTarget.value) })}
        />{' '}
        <output for={id}>{settings.smoothing.toFixed(2)}</output>
      </span>
      <label>
        <input
          type="checkbox"
          checked={settings.log}
          onChange={(event) => change({ log: event.currentTarget.checked })}
        />
        {t.log}
      </label>
      <Compare {...props} />
      <span class="zoom">
        <button type="button" aria-label={t.zoomIn} title={t.zoomIn} onClick={() => onZoom(0.5)}>
          +
        </button>
        <button
          type="button"
          aria-label={t.zoomOut}
          title={t.zoomOut}
          disabled={!zoomed}
          onClick={() => onZoom(2)}
        >
          −
        </button>
        <button type="button" disabled={!zoomed} onClick={() => onZoom(undefined)}>
          {t.reset}
        </button>
      </span>
      <input
        type="search"
        aria-label={t.search}
        placeholder={t.search}
        value={search}
        onInput={(event) => onSearch(event.currentTarget.value)}
      />
      <button
        type="button"
        class="plain"
        aria-label={t.refresh}
        title={t.refresh}
        onClick={onRefresh}
      >
        ↻
      </button>
    </div>
  );
}
