import { z } from 'zod';
import { printable } from '../import/tell.ts';

const healthSchema = z.object({
  checks: z.record(z.string(), z.object({ ok: z.boolean(), error: z.string().optional() })),
});

const PAUSE_MS = 2_000;

/** Waits until `/health` is well; else what it said last. A new host name takes a minute or two to be known. */
export async function unwellAfter(url: string, seconds: number): Promise<string | undefined> {
  const deadline = Date.now() + seconds * 1000;
  for (;;) {
    const state = await ask(`${url}/health`);
    if (state === undefined || Date.now() >= deadline) return state;
    await new Promise((resolve) => setTimeout(resolve, Math.min(PAUSE_MS, deadline - Date.now())));
  }
}

/** Undefined when all is well. */
async function ask(address: string): Promise<string | undefined> {
  try {
    const response = await fetch(address, { signal: AbortSignal.timeout(20_000), redirect: 'manual' });
    const text = await response.text();
    if (response.ok) return undefined;
    const { data } = healthSchema.safeParse(parsed(text));
    const failing = Object.entries(data?.checks ?? {}).filter(([, { ok }]) => !ok);
    const said = failing
      .map(([name, { error }]) => `${name}${error ? `: ${printable(error)}` : ''}`)
      .join('; ');
    return said || `it answered ${response.status}: ${printable(text)}`;
  } catch (cause) {
    const { cause: deeper } = cause instanceof Error ? cause : { cause: undefined };
    return `it does not answer (${printable(String(deeper instanceof Error ? deeper.message : cause))})`;
  }
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
