// Amounts on axes and in legends, in a unit that fits. No screen in here.

export type Unit =
  | 'cores'
  | 'bytes'
  | 'bytesPerSecond'
  | 'perSecond'
  | 'count'
  | 'percent'
  | 'celsius'
  | 'watt'
  | 'megahertz';

const binary = ['', 'Ki', 'Mi', 'Gi', 'Ti', 'Pi'];
const decimal = ['', 'k', 'M', 'G', 'T', 'P'];

const ends: Record<Unit, string> = {
  cores: '',
  bytes: 'B',
  bytesPerSecond: 'B/s',
  perSecond: '/s',
  count: '',
  percent: ' %',
  celsius: ' °C',
  watt: ' W',
  megahertz: ' MHz',
};

/** Nobody writes 2 kcores or 1.5 kMHz. */
const unprefixed = new Set<Unit>(['cores', 'percent', 'celsius', 'watt', 'megahertz']);

export function isBinary(unit: Unit): boolean {
  return unit === 'bytes' || unit === 'bytesPerSecond';
}

/** The power of the step (1024 or 1000) in which a value has one to four digits before the point. */
function power(value: number, base: number): number {
  let found = 0;
  for (let rest = Math.abs(value); rest >= base && found < binary.length - 1; rest /= base) found++;
  return found;
}

/** Three digits tell enough; zeros behind the point tell nothing. */
function short(value: number): string {
  if (value === 0) return '0';
  const digits =
    Math.abs(value) >= 100 ? 0 : Math.abs(value) >= 10 ? 1 : Math.abs(value) >= 1 ? 2 : 3;
  const text = value.toFixed(digits);
  return text.includes('.') ? text.replace(/\.?0+$/, '') : text;
}

/** `1.5 GiB`, `312 KiB/s`, `2.25`, `87 %`; a dash for what is not known. */
export function amount(value: number | null | undefined, unit: Unit): string {
  if (value === null || value === undefined || Number.isNaN(value)) return '-';
  if (unprefixed.has(unit)) return `${short(value)}${ends[unit]}`;
  const base = isBinary(unit) ? 1024 : 1000;
  const prefixes = isBinary(unit) ? binary : decimal;
  const step = power(value, base);
  const prefix = prefixes[step] ?? '';
  return `${short(value / base ** step)}${prefix || isBinary(unit) ? ' ' : ''}${prefix}${ends[unit]}`.trim();
}

/** Distances of marks on the axis that give round numbers in the unit. */
export function increments(unit: Unit): number[] {
  const found: number[] = [];
  if (isBinary(unit)) {
    for (let exponent = 0; exponent <= 56; exponent++) found.push(2 ** exponent);
    return found;
  }
  for (let exponent = unit === 'count' ? 0 : -3; exponent <= 15; exponent++) {
    for (const digit of [1, 2, 5]) found.push(digit * 10 ** exponent);
  }
  return found;
}

/** The top of the axis: generous room above the greatest value, and something where all is zero. */
export function top(greatest: number, unit: Unit): number {
  if (unit === 'percent') return 100;
  if (!(greatest > 0)) return isBinary(unit) ? 1024 : 1;
  return greatest * 1.25;
}
