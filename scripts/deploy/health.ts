import { z } from 'zod';
import { toPrintable } from '../import/output.ts';

const healthSchema = z.object({
  checks: z.record(z.string(), z.object({ ok: z.boolean(), error: z.string().optional() })),
});

const PAUSE_MS = 2_000;

/**
 * Waits until `/health` reports success. Returns the last problem if the time runs out, otherwise
 * `undefined`. A new host name takes one or two minutes to resolve.
 */
export async function waitForHealth(url: string, seconds: number): Promise<string | undefined> {
  const deadline = Date.now() + seconds * 1000;
  for (;;) {
    const state = await checkHealth(`${url}/health`);
    if (state === undefined || Date.now() >= deadline) return state;
    await new Promise((resolve) => setTimeout(resolve, Math.min(PAUSE_MS, deadline - Date.now())));
  }
}

/** Requests `/health` once and returns the problem, or `undefined` if the service is healthy. */
async function checkHealth(address: string): Promise<string | undefined> {
  try {
    const response = await fetch(address, { signal: AbortSignal.timeout(20_000), redirect: 'manual' });
    const text = await response.text();
    if (response.ok) return undefined;
    const { data } = healthSchema.safeParse(parseJson(text));
    const failing = Object.entries(data?.checks ?? {}).filter(([, { ok }]) => !ok);
    const problem = failing
      .map(([name, { error }]) => `${name}${error ? `: ${toPrintable(error)}` : ''}`)
      .join('; ');
    return problem || `it answers ${response.status}: ${toPrintable(text)}`;
  } catch (cause) {
    const { cause: deeper } = cause instanceof Error ? cause : { cause: undefined };
    return `it does not answer (${toPrintable(String(deeper instanceof Error ? deeper.message : cause))})`;
  }
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
