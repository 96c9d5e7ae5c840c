import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import type { Counts } from '#test/support/metering/counts.ts';
import { PATIENCE_MS } from '#test/support/patience.ts';
import type { SyncStatus } from './pipelines.ts';
import { Service, sleep } from './service.ts';

const FINISHED = new Set(['SUCCESS', 'PARTIAL_SUCCESS', 'ERROR', 'CANCELLED']);

/** Timeout in milliseconds of a sync of hundreds of files, whose operations are counted. */
const LONGEST_SYNC_MS = 5 * PATIENCE_MS;

/** Service whose entry points count platform operations, in the service and in the parser. */
export class MeteredService extends Service {
  readonly #configuration: string;

  constructor() {
    const configuration = mkdtempSync(join(tmpdir(), 'sluice-parser-'));
    const file = join(configuration, 'wrangler.toml');
    writeFileSync(file, meteredParser());
    // The development server binds the parser itself, which reports its counts to the service.
    super(
      { SERVICE_ENTRY: 'test/support/metering/worker.ts', PARSER_CONFIG: file },
      { script: 'scripts/dev.ts' },
    );
    this.#configuration = configuration;
  }

  /** Returns the counts since the last call. */
  counts(): Promise<Counts> {
    return this.call('GET', '/counts');
  }

  /** Returns the counts during `happens` and for `settleMs` milliseconds after. */
  async during(happens: () => Promise<unknown>, settleMs = 5_000): Promise<Counts> {
    await this.counts();
    await happens();
    await sleep(settleMs);
    return this.counts();
  }

  /** Waits for the end of a sync without counting the requests. */
  async finished(pipeline: string): Promise<void> {
    const headers = { authorization: `Bearer ${this.key}`, 'x-not-counted': 'true' };
    for (let waited = 0; waited < LONGEST_SYNC_MS; waited += 500) {
      await sleep(500);
      const answer = await fetch(`${this.base}/api/v1/pipelines/${pipeline}/status`, { headers });
      const { status } = (await answer.json()) as SyncStatus;
      if (status === 'SUCCESS') return;
      if (FINISHED.has(status)) throw new Error(`the sync ended with ${status}`);
    }
    throw new Error('the sync did not end');
  }

  override async end(): Promise<void> {
    await super.end();
    rmSync(this.#configuration, { recursive: true, force: true });
  }
}

/** Returns the parser configuration with the counting entry point. */
function meteredParser(): string {
  const entry = JSON.stringify(resolve('test/support/metering/parser.ts'));
  return readFileSync('parser/wrangler.toml', 'utf8')
    .replace('main = "worker.ts"', `main = ${entry}`)
    .replaceAll('"../src/', `"${resolve('src')}/`);
}
