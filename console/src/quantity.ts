// Amounts of resources, as the API writes them and as people read them.

const factors: Record<string, number> = {
  n: 1e-9,
  u: 1e-6,
  m: 1e-3,
  '': 1,
  k: 1e3,
  M: 1e6,
  G: 1e9,
  T: 1e12,
  P: 1e15,
  E: 1e18,
  Ki: 2 ** 10,
  Mi: 2 ** 20,
  Gi: 2 ** 30,
  Ti: 2 ** 40,
  Pi: 2 ** 50,
  Ei: 2 ** 60,
};

/** Undefined for what is no quantity: a sum with it would be a lie. */
export function parseQuantity(text: string | number | undefined): number | undefined {
  const parts = /^([+-]?[0-9.]+(?:[eE][+-]?[0-9]+)?)([A-Za-z]*)$/.exec(String(text ?? ''));
  const factor = factors[parts?.[2] ?? ''];
  const value = Number(parts?.[1] ?? Number.NaN) * (factor ?? Number.NaN);
  return Number.isFinite(value) ? value : undefined;
}

/** `16.00`, and `100.00m` for less than one. */
export function cores(value: number): string {
  return value > 0 && value < 1 ? `${(value * 1000).toFixed(2)}m` : value.toFixed(2);
}

const binary = ['Ki', 'Mi', 'Gi', 'Ti', 'Pi'];

/** `8.00Gi`: in the largest unit of which there is at least one. */
export function bytes(value: number): string {
  let unit = '';
  let rest = value;
  for (const next of binary) {
    if (rest < 1024) break;
    rest /= 1024;
    unit = next;
  }
  return `${rest.toFixed(2)}${unit}`;
}

/** Requests and limits of one resource; undefined where nobody has said anything. */
export interface Amount {
  request: number | undefined;
  limit: number | undefined;
}

/** `100.00m / 200.00m`; `-` for what was not said. */
export function requestAndLimit(
  { request, limit }: Amount,
  spell: (value: number) => string,
): string {
  if (request === undefined && limit === undefined) return '-';
  const word = (value: number | undefined) => (value === undefined ? '-' : spell(value));
  return `${word(request)} / ${word(limit)}`;
}

interface Container {
  resources?: {
    requests?: Record<string, string | number>;
    limits?: Record<string, string | number>;
  };
}

export type Amounts = Map<string, Amount>;

function plus(a: number | undefined, b: number | undefined): number | undefined {
  return a === undefined ? b : a + (b ?? 0);
}

/** Adds `times` pods of these containers. A limit without a request is the request, too, as the API has it. */
export function addContainers(
  sum: Amounts,
  containers: readonly Container[] | undefined,
  times: number,
): void {
  for (const { resources: { requests = {}, limits = {} } = {} } of containers ?? []) {
    for (const name of new Set([...Object.keys(requests), ...Object.keys(limits)])) {
      const limit = parseQuantity(limits[name]);
      const request = parseQuantity(requests[name]) ?? limit;
      const before = sum.get(name);
      sum.set(name, {
        request: plus(before?.request, request === undefined ? undefined : request * times),
        limit: plus(before?.limit, limit === undefined ? undefined : limit * times),
      });
    }
  }
}

export const noAmount: Amount = { request: undefined, limit: undefined };

/** Names such as nvidia.com/gpu; what every machine has is not extended. */
export function isExtended(name: string): boolean {
  return name.includes('/') && !name.startsWith('kubernetes.io/');
}
