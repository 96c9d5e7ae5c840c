import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { createInterface, type Interface } from 'node:readline';
import type { Mutant } from './schemata.ts';
import type { Order, Reply } from './session.ts';

export type Numbered = Mutant & { id: number };

/** A run that takes this much longer than one without mutants hangs. */
const PATIENCE = 5;
const LEAST_PATIENCE_SECONDS = 30;
const START_SECONDS = 180;

/** The tests of a room, started once, and anew after a mutant that hangs. */
export class Tests {
  readonly #plan: string;
  #session: { child: ChildProcess; lines: Interface } | undefined;
  #seconds = START_SECONDS;

  constructor(plan: string) {
    this.#plan = plan;
  }

  /** Which files reach each mutant. Refuses a room whose tests fail by themselves. */
  async reachedBy(tests: readonly string[]): Promise<Map<number, string[]>> {
    const reaching = new Map<number, string[]>();
    let longest = 0;
    for (const test of tests) {
      const reply = await this.#ask({ mutant: 0, tests: [test] });
      if (reply === undefined || reply.failed !== null) {
        throw new Error(`${test} fails without a mutant: ${reply?.failed ?? 'it hangs'}`);
      }
      longest += reply.seconds;
      for (const id of Object.values(reply.reached).flat()) {
        reaching.set(id, [...(reaching.get(id) ?? []), test]);
      }
    }
    this.#seconds = Math.max(longest * PATIENCE, LEAST_PATIENCE_SECONDS);
    return reaching;
  }

  /** Whether a test fails, or hangs, with this mutant awake. */
  async notice(mutant: number, tests: string[]): Promise<boolean> {
    const reply = await this.#ask({ mutant, tests });
    return reply === undefined || reply.failed !== null;
  }

  async end(): Promise<void> {
    const child = this.#session?.child;
    this.#session = undefined;
    if (!child?.pid || child.exitCode !== null) return;
    // Its group: the runtimes that it started go with it.
    process.kill(-child.pid, 'SIGKILL');
    if (child.exitCode === null && child.signalCode === null) await once(child, 'exit');
  }

  /** Undefined when there is no answer in time. */
  async #ask(order: Order): Promise<Exclude<Reply, { ready: true }> | undefined> {
    const { child, lines } = this.#session ?? (await this.#start());
    const answer = nextReply(lines, this.#seconds);
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
