import { type Signal, useSignal, useSignalEffect } from '@preact/signals';
import { useEffect, useId, useRef } from 'preact/hooks';
import { colourName } from '../monitor/plot';
import { amount } from '../monitor/units';
import { rowsOf } from '../monitor/usage';
import { absoluteTime } from '../time';
import { CurvePlot, dashOf, type PlotLine, type PlotLook } from './curve_plot';
import { figure, firstOdd, nearest, spanText, timeAt, xAt, type Zoom } from './curves';
import { curveWords } from './words';

/** What all charts of a panel point at: a moment, and where it is on the axis of who says it. */
export interface Pointer {
  from: string;
  time: number;
  x: number | undefined;
}

export interface Shared {
  pointer: Signal<Pointer | undefined>;
  zoom: Signal<Zoom | undefined>;
}

export function clock(second: number): string {
  const { date, time } = absoluteTime(new Date(second * 1000));
  return `${date} ${time}`;
}

/** A piece of the line, in its colour. */
export function Sample({ number }: { number: number }) {
  const sign = useRef<SVGSVGElement>(null);
  // Through the object model: the Content-Security-Policy allows no style attribute.
  useEffect(() => {
    sign.current?.style.setProperty('--line-colour', `var(${colourName(number)})`);
  }, [number]);
  return (
    <svg ref={sign} class="sample" viewBox="0 0 28 12" aria-hidden="true">
      <path d="M0 6h28" stroke-dasharray={dashOf(number)?.join(' ')} />
    </svg>
  );
}

const mostValues = 8;

/** What each line is under the cursor, or at its end. */
function Values({
  lines,
  look,
  x,
}: {
  lines: readonly PlotLine[];
  look: PlotLook;
  x: number | undefined;
}) {
  const shown = lines.slice(0, mostValues);
  return (
    <ul class="values">
      {shown.map(({ key, name, number, track, smooth }) => {
        const at = x === undefined ? track.xs.length - 1 : nearest(track.xs, x);
        const text = (value: number | undefined) =>
          look.unit ? amount(value, look.unit) : figure(value);
        return (
          <li key={key}>
            <Sample number={number} />
            <span class="name">{name}</span> <b>{text((smooth ?? track.values)[at])}</b>
            {smooth && <span class="raw">{text(track.values[at])}</span>}
          </li>
        );
      })}
      {lines.length > mostValues && (
        <li>{curveWords.value.moreLines(lines.length - mostValues)}</li>
      )}
    </ul>
  );
}

const tableRows = 30;

/** The same as numbers, and for the keyboard the way to the log lines of a moment. */
function NumberTable(props: {
  title: string;
  lines: readonly PlotLine[];
  look: PlotLook;
  choose: (line: PlotLine, time: number) => void;
}) {
  const { title, lines, look, choose } = props;
  const t = curveWords.value;
  const open = useSignal(false);
  return (
    <details
      onToggle={(event) => {
        open.value = event.currentTarget.open;
      }}
    >
      <summary>
        {t.table}
        <span class="hidden"> {title}</span>
      </summary>
      {open.value && (
        // biome-ignore lint/a11y/noNoninteractiveTabindex: it scrolls, so the keyboard must reach it
        <div class="numbers" tabIndex={0}>
          <table aria-label={title}>
            <thead>
              <tr>
                <th scope="col">{t.run}</th>
                {!look.unit && <th scope="col">{t.step}</th>}
                <th scope="col">{t.value}</th>
                <th scope="col">{t.time}</th>
              </tr>
            </thead>
            <tbody>
              {lines.flatMap((line) =>
                rowsOf(line.track.xs.length, tableRows).map((at) => {
                  const time = line.track.times[at] ?? 0;
                  const value = line.track.values[at];
                  return (
                    <tr key={`${line.key} ${at}`}>
                      <th scope="row">{line.name}</th>
                      {!look.unit && <td>{line.track.steps[at]}</td>}
                      <td>{look.unit ? amount(value, look.unit) : figure(value)}</td>
                      <td>
                        <button
                          type="button"
                          class="plain"
                          aria-label={t.linesAt(clock(time))}
                          title={t.linesAt(clock(time))}
                          onClick={() => choose(line, time)}
                        >
                          {clock(time)}
                        </button>
                      </td>
                    </tr>
                  );
                }),
              )}
            </tbody>
          </table>
        </div>
      )}
    </details>
  );
}

interface ChartProps {
  title: string;
  lines: readonly PlotLine[];
  look: PlotLook;
  shared: Shared;
  /** What part of its own axis is shown. */
  zoom: Zoom | undefined;
  onZoom: (zoom: Zoom | undefined) => void;
  /** A moment of a line was chosen. */
  choose: (line: PlotLine, time: number) => void;
  /** It has come into sight, and so its points are wanted. */
  onSeen?: () => void;
}

/** Drawn when it is scrolled into view, and no sooner. */
export function CurveChart(props: ChartProps) {
  const { title, lines, look, shared, zoom, onSeen } = props;
  const t = curveWords.value;
  const id = useId();
  const place = useRef<HTMLDivElement>(null);
  const plot = useRef<CurvePlot | undefined>(undefined);
  // What the plot calls back must see what is true then, not what was when it was made.
  const now = useRef(props);
  now.current = props;
  const seen = useSignal(false);
  const x = useSignal<number | undefined>(undefined);

  useEffect(() => {
    const observer = new IntersectionObserver(
      (entries) => {
        if (!entries.some(({ isIntersecting }) => isIntersecting)) return;
        observer.disconnect();
        seen.value = true;
        onSeen?.();
      },
      { rootMargin: '200px' },
    );
    if (place.current) observer.observe(place.current);
    return () => {
      observer.disconnect();
      plot.current?.destroy();
      plot.current = undefined;
    };
  }, []);

  useEffect(() => {
    if (!seen.value || !place.current) return;
    if (plot.current?.fits(lines, look)) {
      plot.current.draw(lines, zoom);
      return;
    }
    plot.current?.destroy();
    plot.current = undefined;
    if (lines.length === 0) return;
    plot.current = new CurvePlot(place.current, lines, look, zoom, {
      onCursor: (at) => {
        x.value = at;
        const [first] = now.current.lines;
        const time = at === undefined || !first ? undefined : timeAt(first.track, at);
        const axis = now.current.look.unit ? undefined : at;
        shared.pointer.value = time === undefined ? undefined : { from: id, time, x: axis };
      },
      onClick: (at, line) => now.current.choose(line, timeAt(line.track, at) ?? 0),
      onZoom: (part) => now.current.onZoom(part),
    });
  }, [seen.value, lines, look, zoom]);

  useSignalEffect(() => {
    const pointer = shared.pointer.value;
    if (pointer?.from === id) return;
    const [first] = now.current.lines;
    const known = now.current.look.unit ? undefined : pointer?.x;
    const at = pointer && first ? (known ?? xAt(first.track, pointer.time)) : undefined;
    plot.current?.point(at);
    x.value = at;
  });

  const [first] = lines;
  const under = () => {
    if (x.value === undefined || !first) return '';
    const at = nearest(first.track.xs, x.value);
    if (look.axis === 'step') return `${t.step} ${first.track.steps[at]}`;
    return look.axis === 'wall'
      ? clock(first.track.times[at] ?? 0)
      : spanText(first.track.xs[at] ?? 0);
  };
  const odd = lines.flatMap(({ name, track }) => {
    const found = firstOdd(track);
    return found ? [t.odd(String(found.value), found.step, name)] : [];
  });
  const last = lines
    .slice(0, mostValues)
    .map(({ name, track }) => `${name} ${look.unit ? '' : figure(track.values.at(-1))}`);
  return (
    <figure class="chart curve" aria-labelledby={id}>
      <figcaption>
        <h3 id={id}>{title}</h3>
        <span class="under">{under()}</span>
      </figcaption>
      <div class="plot" ref={place} role="img" aria-label={`${title}: ${last.join(', ')}`} />
      <Values lines={lines} look={look} x={x.value} />
      {odd.length > 0 && !look.unit && <p class="odd">{odd.slice(0, 3).join('; ')}</p>}
      <NumberTable title={title} lines={lines} look={look} choose={props.choose} />
    </figure>
  );
}
