import type { Billed, Counts } from '#test/support/metering/counts.ts';

/**
 * US dollars a million, beyond what the paid plan includes; none of that is taken off here. Looked up that day in copies
 * of these pages, of D1 in lists that others made of it between May and August 2026.
 */
export const PRICES_OF = '2026-11-23';

interface Price {
  dollarsPerMillion: number;
  source: string;
}

const WORKERS = 'https://developers.cloudflare.com/workers/platform/pricing/';
const OBJECTS = 'https://developers.cloudflare.com/durable-objects/platform/pricing/';
const D1 = 'https://developers.cloudflare.com/d1/platform/pricing/';
const R2 = 'https://developers.cloudflare.com/r2/pricing/';
const QUEUES = 'https://developers.cloudflare.com/queues/pricing/';

/** An object has 128 MB whatever it uses, so that a second of it is so many GB-s. */
const OBJECT_GB = 0.128;

/**
 * Not billed by themselves: statements of D1, bytes that go in and out of R2, deletes there, and calls of Workers by
 * each other. No object takes WebSockets, so the rule of 20 messages a request has nothing to apply to.
 */
export const PRICES: Partial<Record<Billed | 'CPU ms', Price>> = {
  'Worker requests': { dollarsPerMillion: 0.3, source: WORKERS },
  'CPU ms': { dollarsPerMillion: 0.02, source: WORKERS },
  'object requests': { dollarsPerMillion: 0.15, source: OBJECTS },
  'object seconds': { dollarsPerMillion: 12.5 * OBJECT_GB, source: OBJECTS },
  'object rows read': { dollarsPerMillion: 0.001, source: OBJECTS },
  'object rows written': { dollarsPerMillion: 1, source: OBJECTS },
  'metrics requests': { dollarsPerMillion: 0.15, source: OBJECTS },
  'metrics rows written': { dollarsPerMillion: 1, source: OBJECTS },
  'D1 rows read': { dollarsPerMillion: 0.001, source: D1 },
  'D1 rows written': { dollarsPerMillion: 1, source: D1 },
  'queue operations': { dollarsPerMillion: 0.4, source: QUEUES },
  'R2 class A': { dollarsPerMillion: 4.5, source: R2 },
  'R2 class B': { dollarsPerMillion: 0.36, source: R2 },
};

/** US dollars a GB and month. */
export const STORAGE = {
  'R2 (bytes, pages, pictures)': { dollars: 0.015, source: R2 },
  'objects (the managed index)': { dollars: 0.2, source: OBJECTS },
  'D1 (metadata, short texts)': { dollars: 0.75, source: D1 },
};

export function dollarsOf(counts: Counts & { 'CPU ms'?: number }): Record<string, number> {
  return Object.fromEntries(
    Object.entries(PRICES).map(([name, { dollarsPerMillion }]) => [
      name,
      ((counts[name as Billed] ?? 0) * dollarsPerMillion) / 1e6,
    ]),
  );
}
