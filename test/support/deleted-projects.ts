import { expect } from 'vitest';
import { buildPdf, text } from '#test/fixtures/pdf.ts';
import { createFixtures, type Fixtures } from '#test/suites/operation-inputs.ts';
import { call } from '#test/support/client.ts';
import { clearLeftoversNow, everythingKept, untilParserIsIdle } from '#test/support/kept.ts';
import { PATIENCE_MS } from '#test/support/patience.ts';
import type { Tenant } from '#test/support/tenants.ts';

// Projects for tests of deletion, and what is left of them.

export interface Made {
  id: string;
  make: Fixtures;
  key: string;
}

export async function newProject(tenant: Tenant): Promise<Made> {
  const { key } = tenant;
  const name = `project ${crypto.randomUUID()}`;
  const { body } = await call<{ id: string }>('POST', '/api/v1/projects', { key, body: { name } });
  const scoped = await call<{ redacted_api_key: string }>('POST', '/api/v1/api-keys', {
    key,
    body: { project_id: body.id },
  });
  const own = scoped.body.redacted_api_key;
  return { id: body.id, key: own, make: createFixtures({ ...tenant, projectId: body.id, key: own }) };
}

/** Returns what exists now and did not exist before. The audit log keeps the events of what was deleted. */
export async function left(before: string[]): Promise<string[]> {
  const then = new Set(before);
  return (await everythingKept()).filter((line) => !then.has(line) && !line.startsWith('row audit_events '));
}

/** Number of times in a row that nothing must be left, because something may reappear after it was removed. */
const EMPTY_TIMES = 5;

/**
 * Checks that everything of the projects is removed. Rows and objects disappear soon. Files that a running
 * parser wrote are removed when the project's object clears leftovers, which this function triggers once the
 * parser is idle. Nothing may reappear afterwards.
 */
export async function expectNothingLeft(before: string[], projects: readonly Made[]): Promise<void> {
  const isLookedFor = /^key |^object JOB_INTAKE /;
  await expect
    .poll(async () => (await left(before)).filter((line) => !isLookedFor.test(line)), {
      timeout: PATIENCE_MS,
      interval: 1_000,
    })
    .toEqual([]);
  await untilParserIsIdle();
  for (const { id } of projects) await clearLeftoversNow(id);
  let emptyTimes = 0;
  const look = async () => {
    const found = await left(before);
    emptyTimes = found.length === 0 ? emptyTimes + 1 : 0;
    return { found, emptyTimes };
  };
  await expect
    .poll(look, { timeout: PATIENCE_MS, interval: 500 })
    .toEqual({ found: [], emptyTimes: EMPTY_TIMES });
}

export function manyPages(seed: number): Uint8Array {
  const told = crypto.randomUUID();
  const pages = Array.from({ length: 40 }, (_, page) => ({
    content: text(72, 700, `Page ${page} of ${told} ${seed}`),
  }));
  return buildPdf({ pages });
}
