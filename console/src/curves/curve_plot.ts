import uPlot from 'uplot';
import 'uplot/dist/uPlot.min.css';
import { colourName, variable } from '../monitor/plot';
import { clockNames } from '../monitor/range';
import { amount, increments, type Unit } from '../monitor/units';
import { type Axis, figure, nearest, spanText, type Track, type Zoom } from './curves';

export interface PlotLine {
  key: string;
  name: string;
  /** Its number: colours come again, with another dash. */
  number: number;
  track: Track;
  /** What is drawn in front; the values themselves stand pale behind it. */
  smooth: readonly number[] | undefined;
}

export interface PlotLook {
  axis: Axis;
  log: boolean;
  /** Of usage; undefined: plain numbers. */
  unit?: Unit | undefined;
}

interface PlotEvents {
  onCursor: (x: number | undefined) => void;
  /** The line that is nearest to the click. */
  onClick: (x: number, line: PlotLine) => void;
  onZoom: (zoom: Zoom | undefined) => void;
}

const height = 220;
const palette = 8;
const hour = 3600;
/** Distances of marks that are round in minutes and hours. */
const spans = [
  0.01, 0.02, 0.05, 0.1, 0.2, 0.5, 1, 2, 5, 10, 20, 30, 60, 120, 300, 600, 1200, 1800,
].concat(
  [1, 2, 4, 6, 12, 24, 48, 96, 240, 480, 960, 2400, 4800, 9600].map((hours) => hours * hour),
);
const dashes: (number[] | undefined)[] = [undefined, [8, 4], [2, 3], [10, 3, 2, 3]];

export function dashOf(number: number): number[] | undefined {
  return dashes[Math.floor(number / palette) % dashes.length];
}

/** What decides how the chart is built; other numbers only are drawn anew. */
function shapeOf(lines: readonly PlotLine[], look: PlotLook): string {
  return JSON.stringify([look, lines.map(({ key, number, smooth }) => [key, number, !!smooth])]);
}

/** A logarithm has no place for what is not above zero. */
function drawable(values: readonly number[], log: boolean): (number | null)[] {
  return values.map((value) => (Number.isFinite(value) && (!log || value > 0) ? value : null));
}

/** Curves along one axis. Made when it is drawn, gone with `destroy`. */
export class CurvePlot {
  readonly shape: string;
  #plot: uPlot;
  #lines: readonly PlotLine[];
  #log: boolean;
  #zoom: Zoom | undefined;
  #pressed = 0;
  #theme = new MutationObserver(() => this.#plot.redraw());
  #size: ResizeObserver;

  constructor(
    place: HTMLElement,
    lines: readonly PlotLine[],
    look: PlotLook,
    zoom: Zoom | undefined,
    events: PlotEvents,
  ) {
    this.shape = shapeOf(lines, look);
    this.#lines = lines;
    this.#zoom = zoom;
    // Where nothing is above zero there is nothing to take the logarithm of.
    this.#log = look.log && lines.some(({ track }) => track.values.some((value) => value > 0));
    this.#plot = new uPlot(this.#options(place, look, events), this.#data(), place);
    this.#listen(events);
    this.#theme.observe(document.documentElement, { attributeFilter: ['data-theme'] });
    this.#size = new ResizeObserver(() => {
      if (place.clientWidth > 0 && place.clientWidth !== this.#plot.width) {
        this.#plot.setSize({ width: place.clientWidth, height });
      }
    });
    this.#size.observe(place);
  }

  fits(lines: readonly PlotLine[], look: PlotLook): boolean {
    return shapeOf(lines, look) === this.shape;
  }

  draw(lines: readonly PlotLine[], zoom: Zoom | undefined): void {
    this.#lines = lines;
    this.#zoom = zoom;
    this.#plot.setData(this.#data());
  }

  /** Where the cursor is in another chart. */
  point(x: number | undefined): void {
    const left = x === undefined ? -10 : this.#plot.valToPos(x, 'x');
    const inside = left >= 0 && left <= this.#plot.over.clientWidth;
    this.#plot.setCursor(inside ? { left, top: 1 } : { left: -10, top: -10 }, false);
  }

  destroy(): void {
    this.#theme.disconnect();
    this.#size.disconnect();
    this.#plot.destroy();
  }

  #data(): uPlot.AlignedData {
    const tables = this.#lines.map(({ track, smooth }) => {
      const rows = [drawable(track.values, this.#log)];
      if (smooth) rows.push(drawable(smooth, this.#log));
      return [track.xs, ...rows] as uPlot.AlignedData;
    });
    if (tables.length === 0) return [[]];
    return tables.length === 1 ? (tables[0] as uPlot.AlignedData) : uPlot.join(tables);
  }

  #series(): uPlot.Series[] {
    return this.#lines.flatMap(({ name, number, smooth, track }) => {
      const colour = () => variable(colourName(number));
      const dash = dashOf(number);
      // A single point is no line, and must be seen all the same.
      const points = { show: track.xs.length === 1 };
      const line = (stroke: () => string, width: number): uPlot.Series => ({
        label: name,
        stroke,
        width,
        points,
        ...(dash && { dash }),
      });
      if (!smooth) return [line(colour, 2)];
      return [line(() => `${colour()}48`, 1), line(colour, 2)];
    });
  }

  #options(place: HTMLElement, look: PlotLook, events: PlotEvents): uPlot.Options {
    const { unit } = look;
    return {
      width: place.clientWidth,
      height,
      padding: [12, 16, 0, 0],
      series: [{}, ...this.#series()],
      legend: { show: false },
      cursor: {
        y: false,
        points: { size: 6 },
        drag: { x: true, y: false, setScale: false },
        bind: { dblclick: () => () => null },
      },
      scales: {
        x: {
          time: look.axis === 'wall',
          range: (_, least, greatest) => {
            if (this.#zoom) return [this.#zoom.from, this.#zoom.to];
            return least === greatest ? [least - 1, greatest + 1] : [least, greatest];
          },
        },
        y: {
          distr: this.#log ? 3 : 1,
          range: (_, least, greatest) => this.#range(least, greatest, unit),
        },
      },
      axes: this.#axes(look),
      hooks: {
        setCursor: [
          ({ cursor: { left = -1 } }) =>
            events.onCursor(left < 0 ? undefined : this.#plot.posToVal(left, 'x')),
        ],
        setSelect: [
          (plot) => {
            const { left, width } = plot.select;
            if (width < 4) return;
            const zoom = { from: plot.posToVal(left, 'x'), to: plot.posToVal(left + width, 'x') };
            plot.setSelect({ left: 0, top: 0, width: 0, height: 0 }, false);
            events.onZoom(zoom);
          },
        ],
      },
    };
  }

  /** uPlot says null where there is nothing to draw. */
  #range(
    least: number | null,
    greatest: number | null,
    unit: Unit | undefined,
  ): uPlot.Range.MinMax {
    if (least === null || greatest === null) return this.#log ? [0.1, 10] : [0, 1];
    if (this.#log) return uPlot.rangeLog(least, greatest, 10, false);
    return uPlot.rangeNum(unit ? 0 : least, greatest, 0.08, true);
  }

  #axes({ axis, unit }: PlotLook): uPlot.Axis[] {
    const look: uPlot.Axis = {
      stroke: () => variable('--dim'),
      grid: { stroke: () => variable('--line'), width: 1 },
      ticks: { stroke: () => variable('--line'), width: 1 },
    };
    const names = (marks: number[], apart: number): string[] => {
      if (axis === 'wall') return clockNames(marks, apart);
      return marks.map(axis === 'relative' ? spanText : stepText);
    };
    return [
      {
        ...look,
        values: (_, marks, __, ___, apart) => names(marks, apart),
        space: 80,
        ...(axis === 'relative' && { incrs: spans }),
      },
      {
        ...look,
        size: 68,
        ...(unit && { incrs: increments(unit) }),
        // On a logarithmic axis most marks have no name.
        values: (_, marks) =>
          marks.map((mark) => {
            if (mark === null) return '';
            return unit ? amount(mark, unit) : figure(mark);
          }),
      },
    ];
  }

  #listen({ onClick, onZoom }: PlotEvents): void {
    const { over } = this.#plot;
    over.addEventListener('mousedown', (event) => {
      this.#pressed = event.clientX;
    });
    over.addEventListener('dblclick', () => onZoom(undefined));
    over.addEventListener('click', (event) => {
      // What ends a drag is no click.
      if (Math.abs(event.clientX - this.#pressed) > 4) return;
      const box = over.getBoundingClientRect();
      const x = this.#plot.posToVal(event.clientX - box.left, 'x');
      const line = this.#nearestLine(x, event.clientY - box.top);
      if (line) onClick(x, line);
    });
  }

  #nearestLine(x: number, top: number): PlotLine | undefined {
    let best = Number.POSITIVE_INFINITY;
    let found: PlotLine | undefined;
    for (const line of this.#lines) {
      const at = nearest(line.track.xs, x);
      const value = (line.smooth ?? line.track.values)[at];
      if (value === undefined) continue;
      const far = Number.isFinite(value) ? Math.abs(this.#plot.valToPos(value, 'y') - top) : 1e6;
      if (far < best) {
        best = far;
        found = line;
      }
    }
    return found;
  }
}

function stepText(step: number): string {
  if (!Number.isInteger(step)) return '';
  const size = Math.abs(step);
  if (size >= 1e6) return `${figure(step / 1e6)}M`;
  return size >= 10_000 ? `${figure(step / 1e3)}k` : String(step);
}
