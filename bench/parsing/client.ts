import { readFile } from 'node:fs/promises';
import { basename, join } from 'node:path';
import { unstable_startWorker } from 'wrangler';
import type { Page } from '#src/documents/document.ts';

export interface ParsedDocument {
  pages: Page[];
  title?: string;
}

/** Parsers of the product in workerd, as the service runs them. */
export interface ParsingService {
  parse(file: string, name?: string): Promise<ParsedDocument>;
  stop(): Promise<void>;
}

const START_MILLISECONDS = 60_000;

/** Starts a Worker of the benches and returns its address. */
export async function startWorker(config: string): Promise<{ base: URL; stop(): Promise<void> }> {
  process.env.WRANGLER_LOG ??= 'error';
  process.env.WRANGLER_SEND_METRICS ??= 'false';
  const worker = await unstable_startWorker({
    config: join(import.meta.dirname, config),
    dev: { server: { port: 0 }, inspector: false, logLevel: 'error', watch: false },
  });
  // If a build fails, wrangler reports it and the Worker never becomes ready.
  const late = setTimeout(() => {
    console.error('The parsing Worker did not start. The messages above contain the cause.');
    process.exit(1);
  }, START_MILLISECONDS);
  await worker.ready;
  clearTimeout(late);
  return { base: await worker.url, stop: () => worker.dispose() };
}

/** Starts the parsers, or with `pictures/wrangler.toml` the parsers with the OCR engine. */
export async function startParsing(config = 'wrangler.toml'): Promise<ParsingService> {
  const { base, stop } = await startWorker(config);
  return {
    async parse(file, name = basename(file)) {
      const url = new URL(`/?name=${encodeURIComponent(name)}`, base);
      const response = await fetch(url, { method: 'POST', body: await readFile(file) });
      if (!response.ok) throw new Error(`${name}: ${await response.text()}`);
      return (await response.json()) as ParsedDocument;
    },
    stop,
  };
}
