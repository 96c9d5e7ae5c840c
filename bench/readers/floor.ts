import type { ChildProcess } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { startWrangler } from '#scripts/wrangler.ts';
import { freePort, ServiceClient, sleep } from '#test/process/service.ts';

/** Answers at once, after as many milliseconds of work as the path names. It waits for nothing and stores nothing. */
const WORKER = `export default {
  fetch(request) {
    const until = Number(new URL(request.url).pathname.slice(1)) * ROUNDS_PER_MS;
    let sum = 0;
    for (let i = 0; i < until; i++) sum += Math.sqrt(i);
    return new Response('"TextNodeWithScore"' + String(sum).slice(0, 0));
  },
};`;
/** How long the server may take to come up. */
const PATIENCE_MS = 60_000;

/**
 * A Worker of ten lines on the same development server: what so many clients get of it without Sluice. Clocks stand
 * still in a Worker that waits for nothing, so the work is counted in rounds that this process has timed.
 */
export class Floor extends ServiceClient {
  readonly key = 'none';
  readonly #folder = mkdtempSync(join(tmpdir(), 'sluice-floor-'));
  #process: ChildProcess | undefined;
  base = '';

  async start(): Promise<void> {
    const worker = WORKER.replace('ROUNDS_PER_MS', String(roundsPerMillisecond()));
    writeFileSync(join(this.#folder, 'worker.js'), worker);
    const settings = ['name = "floor"', 'main = "worker.js"', 'compatibility_date = "2026-01-01"'];
    writeFileSync(join(this.#folder, 'wrangler.toml'), settings.join('\n'));
    const port = await freePort();
    this.base = `http://127.0.0.1:${port}`;
    const config = join(this.#folder, 'wrangler.toml');
    const quiet = '--show-interactive-dev-session=false';
    this.#process = startWrangler('dev', '-c', config, '--local', '--port', String(port), quiet);
    const deadline = Date.now() + PATIENCE_MS;
    while (!(await this.#answers())) {
      if (Date.now() > deadline) throw new Error('the empty Worker did not start');
      await sleep(200);
    }
  }

  async end(): Promise<void> {
    const child = this.#process;
    const gone = child && new Promise((resolve) => child.once('exit', resolve));
    child?.kill();
    await gone;
    rmSync(this.#folder, { recursive: true, force: true });
  }

  #answers(): Promise<boolean> {
    return fetch(`${this.base}/0`).then(
      (answer) => answer.ok,
      () => false,
    );
  }
}

function roundsPerMillisecond(): number {
  const rounds = 20_000_000;
  let sum = 0;
  const started = performance.now();
  for (let i = 0; i < rounds; i++) sum += Math.sqrt(i);
  return Math.round(rounds / (performance.now() - started)) + (sum < 0 ? 1 : 0);
}
