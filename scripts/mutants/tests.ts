import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { createInterface, type Interface } from 'node:readline';
import type { Mutant } from './schemata.ts';
import type { Order, Reply } from './session.ts';

export type Numbered = Mutant & { id: number };

/** A run that takes this many times as long as one without mutants hangs, and no shorter one does. */
const PATIENCE = 3;
const LEAST_PATIENCE_SECONDS = 20;
const START_SECONDS = 180;

/** The tests of a room, started once, and anew after a mutant that hangs. */
export class Tests {
  readonly #plan: string;
  #session: { child: ChildProcess; lines: Interface } | undefined;
  /** How long each file takes without a mutant. */
  readonly #usual = new Map<string, number>();

  constructor(plan: string) {
    this.#plan = plan;
    // Whoever ends this process ends the tests, which are a group of their own.
    process.once('exit', () => this.#kill());
    for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => process.exit(130));
  }

  /** Which files reach each mutant. Refuses a room whose tests fail by themselves. */
  async reachedBy(tests: readonly string[]): Promise<Map<number, string[]>> {
    const reaching = new Map<number, string[]>();
    for (const test of tests) {
      const reply = await this.#ask({ mutant: 0, tests: [test] }, START_SECONDS);
      if (reply === undefined || reply.failed !== null) {
        throw new Error(`${test} fails without a mutant: ${reply?.failed ?? 'it hangs'}`);
      }
      this.#usual.set(test, reply.seconds);
      for (const id of Object.values(reply.reached).flat()) {
        reaching.set(id, [...(reaching.get(id) ?? []), test]);
      }
    }
    return reaching;
  }

  /** Whether a test fails, or hangs, with this mutant awake. */
  async notice(mutant: number, tests: string[]): Promise<boolean> {
    const usual = (test: string) => this.#usual.get(test) ?? 0;
    for (const test of tests.toSorted((a, b) => usual(a) - usual(b))) {
      const seconds = Math.max(usual(test) * PATIENCE, LEAST_PATIENCE_SECONDS);
      const reply = await this.#ask({ mutant, tests: [test] }, seconds);
      if (reply === undefined || reply.failed !== null) return true;
    }
    return false;
  }

  async end(): Promise<void> {
    const child = this.#kill();
    if (child && child.exitCode === null && child.signalCode === null) await once(child, 'exit');
  }

  #kill(): ChildProcess | undefined {
    const child = this.#session?.child;
    this.#session = undefined;
    if (!child?.pid || child.exitCode !== null || child.signalCode !== null) return undefined;
    // Its group: the runtimes that it started go with it.
    process.kill(-child.pid, 'SIGKILL');
    return child;
  }

  /** Undefined when there is no answer in time. */
  async #ask(order: Order, seconds: number): Promise<Exclude<Reply, { ready: true }> | undefined> {
    const { child, lines } = this.#session ?? (await this.#start());
    const answer = nextReply(lines, seconds);
    child.stdin!.write(`${JSON.stringify(order)}\n`);
    const reply = await answer;
    if (reply === undefined || 'ready' in reply) {
      await this.end();
      return undefined;
    }
    return reply;
  }

  async #start() {
    const child = spawn(process.execPath, ['scripts/mutants/session.ts', this.#plan], {
      stdio: ['pipe', 'pipe', 'ignore'],
      detached: true,
    });
    const lines = createInterface({ input: child.stdout! });
    this.#session = { child, lines };
    if ((await nextReply(lines, START_SECONDS)) === undefined) throw new Error('The tests did not start.');
    return this.#session;
  }
}

/** The next line that is a reply; undefined after that many seconds, or at the end of the lines. */
async function nextReply(lines: Interface, seconds: number): Promise<Reply | undefined> {
  const { promise, resolve } = Promise.withResolvers<Reply | undefined>();
  const onLine = (line: string) => {
    if (line.startsWith('\u0001')) resolve(JSON.parse(line.slice(1)) as Reply);
  };
  const onClose = () => resolve(undefined);
  const timer = setTimeout(onClose, seconds * 1000);
  lines.on('line', onLine).on('close', onClose);
  try {
    return await promise;
  } finally {
    clearTimeout(timer);
    lines.off('line', onLine).off('close', onClose);
  }
}
