// Which lines of several logs are of one moment. No screen in here.
import { type Line, LineBuffer } from '../log/lines';
import { MergedLines } from '../log/merged';

/** Lines of so many seconds before and after are shown. */
export const reach = 5;

/** As the log's own times are written, without their Z, so that they compare as texts. */
export function stampOf(second: number): string {
  return new Date(second * 1000).toISOString().slice(0, -1);
}

/** Those of the seconds around, of each rank, in the order of their times. */
export function linesAround(texts: readonly string[], time: number): Line[] {
  const merged = new MergedLines();
  const end = stampOf(time + reach);
  const start = stampOf(time - reach);
  texts.forEach((text, source) => {
    const buffer = new LineBuffer(source);
    buffer.append(text.endsWith('\n') ? text : `${text}\n`);
    merged.add(buffer.take().added.filter((line) => line.time >= start && line.time <= end));
  });
  return merged.lines;
}
