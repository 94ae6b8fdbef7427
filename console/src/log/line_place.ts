// Addresses of lines. No screen in here.

/** The line that an address leads to: its log, its time and its number. */
export interface LinePlace {
  tag: string;
  time: string;
  number: number;
}

/** `worker-0@2026-11-16T10:00:00.123~4`. */
export function lineText({ tag, time, number }: LinePlace): string {
  return `${tag}@${time}~${number}`;
}

export function parseLine(text: string): LinePlace | undefined {
  const [, tag, time, number] = /^(.+)@([^@~]+)~(\d+)$/.exec(text) ?? [];
  return tag && time ? { tag, time, number: Number(number) } : undefined;
}
