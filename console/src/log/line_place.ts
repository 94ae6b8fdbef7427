// Addresses of lines. No screen in here.

/** The line that an address leads to: its log, its time, and which of that time. */
export interface LinePlace {
  tag: string;
  time: string;
  nth: number;
}

/** `worker-0@2026-11-16T10:00:00.123~4`. */
export function lineText({ tag, time, nth }: LinePlace): string {
  return `${tag}@${time}~${nth}`;
}

export function parseLine(text: string): LinePlace | undefined {
  const [, tag, time, nth] = /^(.+)@([^@~]+)~(\d+)$/.exec(text) ?? [];
  return tag && time ? { tag, time, nth: Number(nth) } : undefined;
}
