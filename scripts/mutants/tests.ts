import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { createInterface, type Interface } from 'node:readline';
import type { Mutant } from './schemata.ts';
import type { Order, Outcome, Reply } from './session.ts';

export type Numbered = Mutant & { id: number };

/**
 * Time limit of a test run, as a multiple of its duration without a mutant. The limit is at least
 * `MIN_TIMEOUT_SECONDS`.
 */
const TIMEOUT_FACTOR = 5;
const MIN_TIMEOUT_SECONDS = 120;
const START_SECONDS = 400;
const ATTEMPTS = 2;
/**
 * Minimum seconds to wait for the next result of a batch. It exceeds the time limit of a test in batch.ts.
 */
const MIN_TURN_SECONDS = 15;
/**
 * Number of mutants in a batch between two unchanged runs, which detect whether a mutant left something
 * broken.
 */
const MUTANTS_PER_CHECK = 8;

type Done = Extract<Reply, { seconds: number }>;
type TurnReply = Extract<Reply, { tested: number }>;

/**
 * Tests of a room, run in a session that is restarted after a mutant hangs. Loading the service takes far
 * longer than its tests, so mutants share a runtime. A mutant is counted as noticed only if a later unchanged
 * run passes. Mutants that go unnoticed are checked again in their own runtime.
 */
export class Tests {
  readonly #plan: string;
  #session: { child: ChildProcess; lines: Interface } | undefined;
  /** Duration of each test file without a mutant, in seconds. */
  readonly #durations = new Map<string, number>();

  constructor(plan: string) {
    this.#plan = plan;
    // The tests run in a separate process group, which does not end with this process unless it is killed
    // here.
    process.once('exit', () => this.#kill());
    for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => process.exit(130));
  }

  /** Returns the test files that reach each mutant. Throws if a test fails without a mutant. */
  async findReaching(tests: readonly string[]): Promise<Map<number, string[]>> {
    const reaching = new Map<number, string[]>();
    for (const test of tests) {
      const reply = await this.#runUnmutated(test);
      this.#durations.set(test, reply.seconds);
      for (const id of reply.reached) reaching.set(id, [...(reaching.get(id) ?? []), test]);
    }
    return reaching;
  }

  /**
   * Runs a test file without a mutant. A failure is repeated, because a test may fail once on a busy machine.
   */
  async #runUnmutated(test: string): Promise<Done> {
    let why: string | undefined;
    for (let attempt = 0; attempt < ATTEMPTS; attempt++) {
      const reply = await this.#runOrder({ mutant: 0, tests: [test] }, START_SECONDS);
      if (reply?.failed === null) return reply;
      why = reply?.failed ?? 'it hangs';
      await this.end();
    }
    throw new Error(`${test} fails without a mutant: ${why}`);
  }

  /** Tests each mutant and reports whether a test fails, as soon as the result is known. */
  async judge(
    reaching: Map<number, string[]>,
    report: (mutant: number, outcome: Outcome) => void,
  ): Promise<void> {
    const noticed = new Set<number>();
    const quickFirst = [...this.#durations].toSorted(([, a], [, b]) => a - b).map(([test]) => test);
    for (const test of quickFirst) {
      const mutants = [...reaching].filter(([id, tests]) => tests.includes(test) && !noticed.has(id));
      const found = await this.#runInTurn(
        test,
        mutants.map(([id]) => id).toSorted((a, b) => a - b),
      );
      for (const id of found) {
        noticed.add(id);
        report(id, 'failed');
      }
    }
    for (const [id, tests] of reaching) {
      if (!noticed.has(id)) report(id, await this.#runAlone(id, tests));
    }
  }

  async #runInTurn(test: string, mutants: number[]): Promise<number[]> {
    const found: number[] = [];
    let left = mutants;
    while (left.length > 0) {
      const order = left.flatMap((id, at) => ((at + 1) % MUTANTS_PER_CHECK === 0 ? [id, 0] : [id]));
      const replies = await this.#runTurns(test, [...order, 0]);
      let since: TurnReply[] = [];
      let checked = 0;
      let isSound = true;
      for (const each of replies) {
        if (each.tested !== 0) since.push(each);
        else {
          isSound = each.outcome === 'passed';
          checked += since.length;
          if (!isSound) break;
          found.push(...since.filter(({ outcome }) => outcome === 'failed').map(({ tested }) => tested));
          since = [];
        }
      }
      const rest = left.slice(checked);
      // If a run without a mutant fails, one of the mutants since the last such run left something broken.
      // Each of these mutants is later run alone. A mutant that hung is also run alone. The mutants before it
      // without a confirmed result are repeated in the next batch.
      const hung = isSound && replies.length <= order.length ? rest[since.length] : undefined;
      left = rest.filter((id) => id !== hung);
    }
    return found;
  }

  /**
   * Runs a batch of mutants and returns their results. If a mutant hangs, there are fewer results than
   * mutants.
   */
  async #runTurns(test: string, mutants: number[]): Promise<TurnReply[]> {
    const replies: TurnReply[] = [];
    const seconds = Math.max(MIN_TURN_SECONDS, this.#durations.get(test) ?? 0);
    await this.#runOrder(
      { mutants, test },
      this.#timeoutSeconds([test]),
      (tested) => replies.push(tested),
      seconds,
    );
    return replies;
  }

  /**
   * Runs one mutant alone. Only a failure that occurs twice counts, because another cause may have failed the
   * first run.
   */
  async #runAlone(mutant: number, tests: string[]): Promise<Outcome> {
    let outcome: Outcome = 'timed out';
    for (let attempt = 0; attempt < ATTEMPTS; attempt++) {
      const reply = await this.#runOrder({ mutant, tests }, this.#timeoutSeconds(tests));
      outcome = reply?.outcome ?? 'timed out';
      if (outcome !== 'failed') break;
    }
    return outcome;
  }

  #timeoutSeconds(tests: string[]): number {
    const duration = tests.reduce((sum, test) => sum + (this.#durations.get(test) ?? 0), 0);
    return Math.max(duration * TIMEOUT_FACTOR, MIN_TIMEOUT_SECONDS);
  }

  async end(): Promise<void> {
    const child = this.#kill();
    if (child && child.exitCode === null && child.signalCode === null) await once(child, 'exit');
  }

  #kill(): ChildProcess | undefined {
    const child = this.#session?.child;
    this.#session = undefined;
    if (!child?.pid || child.exitCode !== null || child.signalCode !== null) return undefined;
    // Kills the process group, which includes the runtimes that the session started.
    process.kill(-child.pid, 'SIGKILL');
    return child;
  }

  /**
   * Sends an order to the session and returns its final reply. Returns `undefined` if the first reply takes
   * longer than `seconds`, or a later one longer than `then` (both in seconds).
   */
  async #runOrder(
    order: Order,
    seconds: number,
    onReply?: (tested: TurnReply) => void,
    then = seconds,
  ): Promise<Done | undefined> {
    const { child, lines } = this.#session ?? (await this.#start());
    const done = waitForReply<Done>(lines, [seconds, then], (reply, end) => {
      if ('seconds' in reply) end(reply);
      else if ('tested' in reply) onReply?.(reply);
    });
    child.stdin!.write(`${JSON.stringify(order)}\n`);
    const reply = await done;
    if (reply) return reply;
    await this.end();
    return undefined;
  }

  async #start() {
    const child = spawn(process.execPath, ['scripts/mutants/session.ts', this.#plan], {
      stdio: ['pipe', 'pipe', 'ignore'],
      detached: true,
    });
    const lines = createInterface({ input: child.stdout! });
    this.#session = { child, lines };
    const ready = await waitForReply<true>(
      lines,
      [START_SECONDS, START_SECONDS],
      (reply, end) => 'ready' in reply && end(true),
    );
    if (!ready) throw new Error('The tests did not start.');
    return this.#session;
  }
}

/**
 * Passes each reply of the session to `onReply`, which can end the wait with a value. Resolves with
 * `undefined` after a timeout or at the end of the output.
 */
async function waitForReply<End>(
  lines: Interface,
  [first, then]: [number, number],
  onReply: (reply: Reply, end: (value: End) => void) => void,
): Promise<End | undefined> {
  const { promise, resolve } = Promise.withResolvers<End | undefined>();
  const onClose = () => resolve(undefined);
  let timer = setTimeout(onClose, first * 1000);
  const onLine = (line: string) => {
    if (!line.startsWith('\u0001')) return;
    clearTimeout(timer);
    timer = setTimeout(onClose, then * 1000);
    onReply(JSON.parse(line.slice(1)) as Reply, resolve);
  };
  lines.on('line', onLine).on('close', onClose);
  try {
    return await promise;
  } finally {
    clearTimeout(timer);
    lines.off('line', onLine).off('close', onClose);
  }
}
