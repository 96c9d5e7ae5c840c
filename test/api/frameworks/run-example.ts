/// <reference types="vite/types/importMeta.d.ts" />
import { env, exports } from 'cloudflare:workers';
import { vi } from 'vitest';
import { BASE } from '#test/support/fetch-service.ts';

// The files are not loaded before the program runs.
const PROGRAMS = import.meta.glob<Record<string, unknown>>('/examples/frameworks/*.ts');

/**
 * Runs a program of `examples/frameworks` against the service. Returns the exports of the program, and the lines that it
 * printed.
 */
export async function runExample(
  name: string,
): Promise<{ exported: Record<string, unknown>; lines: string[] }> {
  process.env.SLUICE_URL = BASE;
  process.env.SLUICE_API_KEY = String(env.BOOTSTRAP_API_KEY);
  const worker = (exports as unknown as { default: Fetcher }).default;
  const others = globalThis.fetch;
  vi.spyOn(globalThis, 'fetch').mockImplementation((input, init) => {
    const request = new Request(input, init);
    return request.url.startsWith(BASE) ? worker.fetch(request) : others(request);
  });
  const log = vi.spyOn(console, 'log').mockImplementation(() => {});
  const exported = await PROGRAMS[`/examples/frameworks/${name}.ts`]!();
  const lines = log.mock.calls.map((values) => values.join(' '));
  log.mockRestore();
  return { exported, lines };
}
