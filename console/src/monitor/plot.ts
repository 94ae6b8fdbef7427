import uPlot from 'uplot';
import 'uplot/dist/uPlot.min.css';
import { clockNames } from './range';
import { amount, increments, top } from './units';
import type { Chart, Colour, Line } from './usage';

export interface Drawn {
  chart: Chart;
  times: number[];
}

interface PlotProps extends Drawn {
  /** Charts of the same name share their cursor. */
  group: string;
  /** The step under the cursor, or undefined when it has left. */
  onCursor: (index: number | undefined) => void;
}

const height = 240;
const palette = 8;

/** What the style sheet says at the moment. */
export function variable(name: string): string {
  return getComputedStyle(document.documentElement).getPropertyValue(name).trim();
}

/** A colour of the style sheet, so that both themes have theirs. */
export function colourName(colour: Colour): string {
  return `--chart-${typeof colour === 'number' ? colour % palette : colour}`;
}

function hasRange({ low, high }: Line): boolean {
  return low !== undefined && high !== undefined && low.some((value, i) => value !== high[i]);
}

/** What decides how the chart is built; other numbers only are drawn anew. */
function shapeOf({ unit, lines }: Chart): string {
  return JSON.stringify([unit, lines.map((line) => [line.name, line.colour, hasRange(line)])]);
}

/**
 * One chart on the screen. Each line is one series of uPlot, or three where steps hold different values: the mean
 * as a line, the least and the most as a pale band around it. Made when it is drawn, gone with `destroy`.
 */
export class Plot {
  readonly shape: string;
  #plot: uPlot;
  /** The series of each line; [0] is its own. */
  #series: number[][] = [];
  #theme = new MutationObserver(() => this.#plot.redraw());
  #size: ResizeObserver;

  constructor(place: HTMLElement, props: PlotProps) {
    this.shape = shapeOf(props.chart);
    this.#plot = new uPlot(this.#options(place, props), this.#data(props), place);
    this.#theme.observe(document.documentElement, { attributeFilter: ['data-theme'] });
    this.#size = new ResizeObserver(() => {
      if (place.clientWidth > 0 && place.clientWidth !== this.#plot.width) {
        this.#plot.setSize({ width: place.clientWidth, height });
      }
    });
    this.#size.observe(place);
  }

  fits(chart: Chart): boolean {
    return shapeOf(chart) === this.shape;
  }

  draw(drawn: Drawn): void {
    this.#plot.setData(this.#data(drawn));
  }

  show(line: number, shown: boolean): void {
    this.#plot.batch(() => {
      for (const index of this.#series[line] ?? []) this.#plot.setSeries(index, { show: shown });
    });
  }

  destroy(): void {
    this.#theme.disconnect();
    this.#size.disconnect();
    this.#plot.destroy();
  }

  #data({ chart, times }: Drawn): uPlot.AlignedData {
    const rows = chart.lines.flatMap((line) =>
      hasRange(line) ? [line.values, line.low ?? [], line.high ?? []] : [line.values],
    );
    return [times, ...rows] as uPlot.AlignedData;
  }

  #options(place: HTMLElement, { chart, group, onCursor }: PlotProps): uPlot.Options {
    const series: uPlot.Series[] = [{}];
    const bands: uPlot.Band[] = [];
    this.#series = chart.lines.map((line) => {
      const stroke = () => variable(colourName(line.colour));
      const own = series.push({ label: line.name, stroke, width: 2, points: { show: false } }) - 1;
      if (!hasRange(line)) return [own];
      const low = series.push({ points: { show: false } }) - 1;
      const high = series.push({ points: { show: false } }) - 1;
      bands.push({ series: [high, low], fill: () => `${stroke()}40` });
      return [own, low, high];
    });
    return {
      width: place.clientWidth,
      height,
      // Room for half of the last name of a time.
      padding: [12, 32, 0, 0],
      series,
      bands,
      legend: { show: false },
      cursor: {
        y: false,
        points: { size: 6 },
        drag: { x: false, y: false },
        // By time, not by place: the charts may show different times.
        sync: { key: group, scales: ['x', null] },
      },
      scales: {
        x: { time: true },
        y: { range: (_, __, greatest) => [0, top(greatest, chart.unit)] },
      },
      axes: this.#axes(chart),
      hooks: { setCursor: [({ cursor: { idx } }) => onCursor(idx ?? undefined)] },
    };
  }

  #axes({ unit }: Chart): uPlot.Axis[] {
    const look: uPlot.Axis = {
      stroke: () => variable('--dim'),
      grid: { stroke: () => variable('--line'), width: 1 },
      ticks: { stroke: () => variable('--line'), width: 1 },
    };
    return [
      { ...look, values: (_, marks, __, ___, apart) => clockNames(marks, apart), space: 80 },
      {
        ...look,
        size: 84,
        incrs: increments(unit),
        values: (_, marks) => marks.map((mark) => amount(mark, unit)),
      },
    ];
  }
}
