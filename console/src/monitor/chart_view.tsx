import { useSignal } from '@preact/signals';
import { useEffect, useId, useRef } from 'preact/hooks';
import { absoluteTime } from '../time';
import { colourName, type Drawn, Plot } from './plot';
import { amount } from './units';
import { type Chart, type Line, lastOf, rowsOf } from './usage';
import { monitorWords } from './words';

const tableRows = 60;

function clock(second: number): string {
  const { date, time } = absoluteTime(new Date(second * 1000));
  return `${date} ${time}`;
}

/** A line with a ring, in the line's own colour. */
function Sample({ line }: { line: Line }) {
  const sign = useRef<SVGSVGElement>(null);
  // Through the object model: the Content-Security-Policy allows no style attribute.
  useEffect(() => {
    sign.current?.style.setProperty('--line-colour', `var(${colourName(line.colour)})`);
  }, [line.colour]);
  return (
    <svg ref={sign} class="sample" viewBox="0 0 28 12" aria-hidden="true">
      <path d="M0 6h28" />
      <circle cx="14" cy="6" r="4" />
    </svg>
  );
}

/** One button a line, which hides and shows it; with the value under the cursor, or the last one. */
function Legend(props: {
  chart: Chart;
  at: number | undefined;
  hidden: ReadonlySet<string>;
  toggle: (line: Line) => void;
}) {
  const { chart, at, hidden, toggle } = props;
  return (
    <div class="legend">
      {chart.lines.map((line) => {
        const value = at === undefined ? lastOf(line.values) : line.values[at];
        return (
          <button
            key={line.name}
            type="button"
            class="plain"
            aria-pressed={!hidden.has(line.name)}
            onClick={() => toggle(line)}
          >
            <Sample line={line} />
            {line.name} <b>{amount(value, chart.unit)}</b>
          </button>
        );
      })}
    </div>
  );
}

/** The same as numbers, for whoever cannot see curves. */
function NumberTable({ chart, times }: Drawn) {
  const t = monitorWords.value;
  const open = useSignal(false);
  return (
    <details
      onToggle={(event) => {
        open.value = event.currentTarget.open;
      }}
    >
      <summary>
        {t.table}
        <span class="hidden"> {chart.title}</span>
      </summary>
      {open.value && (
        // biome-ignore lint/a11y/noNoninteractiveTabindex: it scrolls, so the keyboard must reach it
        <div class="numbers" tabIndex={0}>
          <table aria-label={chart.title}>
            <thead>
              <tr>
                <th scope="col">{t.time}</th>
                {chart.lines.map(({ name }) => (
                  <th key={name} scope="col">
                    {name}
                  </th>
                ))}
              </tr>
            </thead>
            <tbody>
              {rowsOf(times.length, tableRows).map((index) => (
                <tr key={index}>
                  <th scope="row">{clock(times[index] ?? 0)}</th>
                  {chart.lines.map(({ name, values }) => (
                    <td key={name}>{amount(values[index], chart.unit)}</td>
                  ))}
                </tr>
              ))}
            </tbody>
          </table>
        </div>
      )}
    </details>
  );
}

/** Drawn when it is scrolled into view, and no sooner. */
function usePlot({ chart, times, group }: Drawn & { group: string }, hidden: ReadonlySet<string>) {
  const place = useRef<HTMLDivElement>(null);
  const plot = useRef<Plot | undefined>(undefined);
  const seen = useSignal(false);
  const at = useSignal<number | undefined>(undefined);
  useEffect(() => {
    const observer = new IntersectionObserver((entries) => {
      if (entries.some(({ isIntersecting }) => isIntersecting)) seen.value = true;
    });
    if (place.current) observer.observe(place.current);
    return () => {
      observer.disconnect();
      plot.current?.destroy();
      plot.current = undefined;
    };
  }, []);
  useEffect(() => {
    if (!seen.value || !place.current) return;
    if (plot.current?.fits(chart)) {
      plot.current.draw({ chart, times });
      return;
    }
    plot.current?.destroy();
    const onCursor = (index: number | undefined) => {
      at.value = index;
    };
    plot.current = new Plot(place.current, { chart, times, group, onCursor });
    chart.lines.forEach((line, i) => {
      if (hidden.has(line.name)) plot.current?.show(i, false);
    });
  }, [seen.value, chart, times]);
  return { place, plot, at };
}

export function ChartView({ chart, times, group }: Drawn & { group: string }) {
  const t = monitorWords.value;
  const id = useId();
  const hidden = useSignal<ReadonlySet<string>>(new Set());
  const { place, plot, at } = usePlot({ chart, times, group }, hidden.value);
  const toggle = (line: Line) => {
    const next = new Set(hidden.value);
    if (!next.delete(line.name)) next.add(line.name);
    hidden.value = next;
    plot.current?.show(chart.lines.indexOf(line), !next.has(line.name));
  };
  const now = chart.lines.map(
    ({ name, values }) => `${name} ${amount(lastOf(values), chart.unit)}`,
  );
  const under = at.value === undefined ? undefined : times[at.value];
  const [only] = chart.lines;
  return (
    <figure class={chart.beside ? 'chart beside' : 'chart'} aria-labelledby={id}>
      <figcaption>
        <h3 id={id}>{chart.title}</h3>
        {chart.about && (
          <span class="info" title={chart.about}>
            <span aria-hidden="true">ⓘ</span>
            <span class="hidden">{chart.about}</span>
          </span>
        )}
        <span class="under">
          {under !== undefined && clock(under)}
          {!chart.legend && only && (
            <b>
              {' '}
              {amount(
                at.value === undefined ? lastOf(only.values) : only.values[at.value],
                chart.unit,
              )}
            </b>
          )}
        </span>
      </figcaption>
      <div class="plot" ref={place} role="img" aria-label={`${chart.title}: ${now.join(', ')}`} />
      {chart.legend && <Legend chart={chart} at={at.value} hidden={hidden.value} toggle={toggle} />}
      {chart.lines.length > 0 && <NumberTable chart={chart} times={times} />}
      {chart.lines.length === 0 && <p class="note">{t.nothing}</p>}
    </figure>
  );
}
