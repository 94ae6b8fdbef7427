// Which time the charts of a card show. No screen in here.

/** One end of the time: symbolic ends move with what they stand for. */
export type End =
  | { kind: 'start' }
  | { kind: 'now' }
  | { kind: 'finish' }
  | { kind: 'ago'; minutes: number }
  /** Milliseconds since 1970. */
  | { kind: 'at'; time: number };

export interface Range {
  from: End;
  to: End;
}

/** When what is looked at began and ended, in milliseconds since 1970, as far as it is known. */
export interface Life {
  start: number | undefined;
  finish: number | undefined;
}

/** All of it: to now while it goes on, to its end when it has ended. */
export function wholeRange({ finish }: Life): Range {
  return { from: { kind: 'start' }, to: { kind: finish === undefined ? 'now' : 'finish' } };
}

/** Whether the same question has another answer a moment later. */
export function moves({ from, to }: Range, { finish }: Life): boolean {
  if (finish === undefined) return to.kind !== 'at';
  return to.kind === 'now' || from.kind === 'ago' || to.kind === 'ago';
}

/** Undefined: the server knows it, by the pods. */
export function timeOf(end: End, { start, finish }: Life, now: number): number | undefined {
  switch (end.kind) {
    case 'start':
      return start;
    case 'finish':
      // The API tells whole seconds, cut off: what happened in the last one belongs to it.
      return finish === undefined ? undefined : finish + 1000;
    case 'now':
      // What has ended goes no further, unless somebody asks for the time since.
      return finish === undefined ? undefined : now;
    case 'ago':
      return now - end.minutes * 60_000;
    case 'at':
      return end.time;
  }
}

const two = (n: number) => String(n).padStart(2, '0');

/** As <input type="datetime-local"> writes it: local time, to the second. */
export function localText(time: number): string {
  const at = new Date(time);
  const date = `${at.getFullYear()}-${two(at.getMonth() + 1)}-${two(at.getDate())}`;
  return `${date}T${two(at.getHours())}:${two(at.getMinutes())}:${two(at.getSeconds())}`;
}

export function parseLocal(text: string): number | undefined {
  const time = Date.parse(text);
  return Number.isNaN(time) ? undefined : time;
}

/** Names of clock times on the axis: as much as the distance of its marks needs, and the day where it changes. */
export function clockNames(seconds: readonly number[], apart: number): string[] {
  let day = '';
  return seconds.map((second) => {
    const [date = '', time = ''] = localText(second * 1000).split('T');
    const short = apart < 60 ? time : time.slice(0, 5);
    if (apart >= 86_400) return date.slice(5);
    const isNew = date !== day;
    day = date;
    return isNew ? `${short}\n${date}` : short;
  });
}
