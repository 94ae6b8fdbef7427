import { signal, useComputed } from '@preact/signals';
import { words } from './i18n';
import type { Words } from './words/en';

/** The clock of all ages on the page. It stands still in a hidden tab. */
const now = signal(Date.now());

export function startClock(): void {
  const tick = () => {
    if (document.visibilityState === 'visible') now.value = Date.now();
  };
  setInterval(tick, 1000);
  document.addEventListener('visibilitychange', tick);
}

/** How long ago, in the largest unit that still tells something. A clock that runs ahead counts as now. */
export function ago(milliseconds: number, table: Words): string {
  const seconds = Math.max(0, Math.floor(milliseconds / 1000));
  if (seconds < 60) return table.secondsAgo(seconds);
  if (seconds < 3600) return table.minutesAgo(Math.floor(seconds / 60));
  if (seconds < 48 * 3600) return table.hoursAgo(Math.floor(seconds / 3600));
  return table.daysAgo(Math.floor(seconds / 86400));
}

const two = (n: number) => String(n).padStart(2, '0');

/** ISO order in the browser's zone, with the zone: no guessing which is the month. */
export function absoluteTime(date: Date): { date: string; time: string; zone: string } {
  const offset = -date.getTimezoneOffset();
  const size = Math.abs(offset);
  return {
    date: `${date.getFullYear()}-${two(date.getMonth() + 1)}-${two(date.getDate())}`,
    time: `${two(date.getHours())}:${two(date.getMinutes())}:${two(date.getSeconds())}`,
    zone: `${offset < 0 ? '-' : '+'}${two(Math.floor(size / 60))}:${two(size % 60)}`,
  };
}

function spelled(at: string): string {
  const { date, time, zone } = absoluteTime(new Date(at));
  return `${date} ${time} ${zone}`;
}

/** A living age, with the exact time as its tooltip. */
export function Age({ at }: { at: string | undefined }) {
  return at && !Number.isNaN(Date.parse(at)) ? <KnownAge key={at} at={at} /> : <>-</>;
}

function KnownAge({ at }: { at: string }) {
  // Bound to the text node: a tick that changes nothing visible touches no element.
  const text = useComputed(() => ago(now.value - Date.parse(at), words.value));
  return (
    <time dateTime={at} title={spelled(at)}>
      {text}
    </time>
  );
}

export function ExactTime({ at }: { at: string | undefined }) {
  if (!at || Number.isNaN(Date.parse(at))) return <>-</>;
  return <time dateTime={at}>{spelled(at)}</time>;
}

/** From the start to the end, or to now while it goes on. */
export function lasting(milliseconds: number, table: Words): string {
  const seconds = Math.max(0, Math.floor(milliseconds / 1000));
  if (seconds < 60) return table.seconds(seconds);
  if (seconds < 3600) return table.minutes(Math.floor(seconds / 60), seconds % 60);
  return table.hours(Math.floor(seconds / 3600), Math.floor((seconds % 3600) / 60));
}

interface Span {
  from?: string | undefined;
  to?: string | undefined;
}

export function Duration({ from, to }: Span) {
  return <KnownDuration key={`${from} ${to}`} from={from} to={to} />;
}

function KnownDuration({ from, to }: Span) {
  const text = useComputed(() => {
    const start = Date.parse(from ?? '');
    if (Number.isNaN(start)) return '-';
    return lasting((to ? Date.parse(to) : now.value) - start, words.value);
  });
  return <span>{text}</span>;
}
