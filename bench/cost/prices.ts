import type { Billed, Counts } from '#test/support/metering/counts.ts';

/**
 * Prices in US dollars per million, beyond what the paid plan includes. The included amounts are not
 * subtracted here. The prices were looked up on this date in copies of the pages below. Those of D1 come from
 * third-party lists made between May and August 2026.
 */
export const PRICES_DATE = '2026-11-23';

interface Price {
  dollarsPerMillion: number;
  source: string;
}

const WORKERS = 'https://developers.cloudflare.com/workers/platform/pricing/';
const OBJECTS = 'https://developers.cloudflare.com/durable-objects/platform/pricing/';
const D1 = 'https://developers.cloudflare.com/d1/platform/pricing/';
const R2 = 'https://developers.cloudflare.com/r2/pricing/';
const QUEUES = 'https://developers.cloudflare.com/queues/pricing/';

/**
 * Memory of a Durable Object in GB. An object is billed for 128 MB whatever it uses, so each second costs
 * this many GB-seconds.
 */
const OBJECT_GB = 0.128;

/**
 * Prices by operation. Statements of D1, traffic of R2, deletes in R2 and calls between Workers are not
 * billed separately. No object accepts WebSockets, so the rule of 20 messages per request does not apply.
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

/** Prices in US dollars per GB and month. */
export const STORAGE = {
  'R2 (bytes, pages, pictures)': { dollars: 0.015, source: R2 },
  'objects (the managed index)': { dollars: 0.2, source: OBJECTS },
  'D1 (metadata, short texts)': { dollars: 0.75, source: D1 },
};

export function computeDollars(counts: Counts & { 'CPU ms'?: number }): Record<string, number> {
  return Object.fromEntries(
    Object.entries(PRICES).map(([name, { dollarsPerMillion }]) => [
      name,
      ((counts[name as Billed] ?? 0) * dollarsPerMillion) / 1e6,
    ]),
  );
}
