import { afterEach, expect, it, vi } from 'vitest';
import type { Log } from '#server/log.ts';
import { ParserPool, type PooledProcess } from '#server/parsers/parser-pool.ts';
import { PATIENCE_MS } from '#test/support/patience.ts';

/** Process that only records calls. */
class RecordedProcess implements PooledProcess {
  readonly slot: number;
  readonly events: string[];
  isRunning = false;
  memory = 100;
  /** Number of times that the pool measured the memory. */
  measured = 0;

  constructor(slot: number, events: string[]) {
    this.slot = slot;
    this.events = events;
  }

  async ensureReady() {
    if (!this.isRunning) this.events.push(`start ${this.slot}`);
    this.isRunning = true;
  }

  async restart() {
    this.events.push(`restart ${this.slot}`);
    this.memory = 100;
  }

  async stop() {
    this.isRunning = false;
    this.events.push(`stop ${this.slot}`);
  }

  async memoryMib() {
    this.measured += 1;
    return this.memory;
  }
}

const SILENT: Log = { info() {}, warn() {}, error() {}, relay() {} };
const pools: ParserPool[] = [];
afterEach(async () => {
  await Promise.all(pools.splice(0).map((pool) => pool.close()));
});

function createPool(settings: { share?: number; callMs?: number } = {}) {
  const events: string[] = [];
  const processes: RecordedProcess[] = [];
  const pool = new ParserPool(
    { share: 1, callMs: 60_000, memoryMib: 500, checkMs: 5, log: SILENT, ...settings },
    (slot) => (processes[slot] = new RecordedProcess(slot, events)),
  );
  pools.push(pool);
  return { pool, events, processes };
}

const call = (tenant: string) => ({ tenant, isUrgent: false, what: 'parseFile x' });
/** Number of turns of the event loop in which the pool does all work that it can do without a timer. */
const TURNS = 20;

/** Returns whether a promise is still pending after several turns of the event loop. */
async function isPending(promise: Promise<unknown>): Promise<boolean> {
  let hasSettled = false;
  const settle = () => {
    hasSettled = true;
  };
  promise.then(settle, settle);
  for (let turn = 0; turn < TURNS; turn += 1) await new Promise((resolve) => setImmediate(resolve));
  return !hasSettled;
}

it('starts a process on first use and reuses it', async () => {
  const { pool, events } = createPool();
  (await pool.lease(call('a'))).finish();
  (await pool.lease(call('a'))).finish();
  expect(events).toEqual(['start 0']);
});

it('runs one call of a project at a time for a share of one', async () => {
  const { pool } = createPool();
  const first = await pool.lease(call('a'));
  const second = pool.lease(call('a'));
  expect(await isPending(second)).toBe(true);
  first.finish();
  expect((await second).slot).toBe(0);
});

it('uses two processes for two projects', async () => {
  const { pool } = createPool();
  const slots = [(await pool.lease(call('a'))).slot, (await pool.lease(call('b'))).slot];
  expect(slots).toEqual([0, 1]);
});

it('restarts the process of a call that exceeds its deadline', async () => {
  const { pool, events } = createPool({ callMs: 20 });
  const lease = await pool.lease(call('a'));
  expect((await lease.stopped).reason).toBe('deadline');
  expect(events).toContain('restart 0');
});

it('restarts only the process of a call that exceeds its memory', async () => {
  const { pool, events, processes } = createPool();
  const greedy = await pool.lease(call('a'));
  await pool.lease(call('b'));
  processes[0]!.memory = 501;
  expect((await greedy.stopped).reason).toBe('memory');
  expect(events.filter((event) => event.startsWith('restart'))).toEqual(['restart 0']);
});

it('replaces a process that grew before its next call', async () => {
  const { pool, events, processes } = createPool();
  const lease = await pool.lease(call('a'));
  processes[0]!.memory = 400;
  const { measured } = processes[0]!;
  await vi.waitUntil(() => processes[0]!.measured > measured + 1, { timeout: PATIENCE_MS });
  lease.finish();
  const next = await pool.lease(call('a'));
  expect(next.slot).toBeLessThan(3);
  expect(events).toContain('restart 0');
});

it('serves waiting calls after stopping a process', async () => {
  const { pool } = createPool();
  const stuck = await pool.lease(call('a'));
  const waiting = pool.lease(call('a'));
  await stuck.stop('silent');
  expect((await waiting).slot).toBeGreaterThanOrEqual(0);
});

it('ends the call of a crashed process', async () => {
  const { pool } = createPool();
  const lease = await pool.lease(call('a'));
  pool.reportEnd(lease.slot, 'SIGSEGV');
  expect((await lease.stopped).reason).toBe('crashed');
});

it('drops a waiting call whose caller disconnects', async () => {
  const { pool } = createPool();
  const first = await pool.lease(call('a'));
  const gone = new AbortController();
  const abandoned = pool.lease(call('a'), gone.signal);
  const patient = pool.lease(call('a'));
  gone.abort(new Error('gone'));
  await expect(abandoned).rejects.toThrow('gone');
  first.finish();
  expect((await patient).slot).toBe(0);
});

it('ignores a second finish of a call', async () => {
  const { pool } = createPool();
  const first = await pool.lease(call('a'));
  first.finish();
  const second = await pool.lease(call('a'));
  first.finish();
  await first.stop('silent');
  expect(await isPending(second.stopped)).toBe(true);
  expect(await isPending(pool.lease(call('a')))).toBe(true);
});
