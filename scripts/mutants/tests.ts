import type { Outcome } from './session.ts';
import { type Done, SessionProcess, START_SECONDS, type TurnReply } from './session-process.ts';

/**
 * Time limit of a test run, as a multiple of its duration without a mutant. The limit is at least
 * `MIN_TIMEOUT_SECONDS`.
 */
const TIMEOUT_FACTOR = 5;
const MIN_TIMEOUT_SECONDS = 120;
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

/**
 * Tests of a room, run in a session that is restarted after a mutant hangs. Loading the service takes far
 * longer than its tests, so mutants share a runtime. A mutant is counted as noticed only if a later unchanged
 * run passes. Mutants that go unnoticed are checked again in their own runtime.
 */
export class Tests {
  readonly #session: SessionProcess;
  /** Duration of each test file without a mutant, in seconds. */
  readonly #durations = new Map<string, number>();

  /** When `signal` aborts, the tests are stopped, and the running method throws. */
  constructor(plan: string, signal?: AbortSignal) {
    this.#session = new SessionProcess(plan, signal);
  }

  end(): Promise<void> {
    return this.#session.end();
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
      const reply = await this.#session.run({ mutant: 0, tests: [test] }, START_SECONDS);
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
      const ids = mutants.map(([id]) => id).toSorted((a, b) => a - b);
      await this.#runInTurn(test, ids, (id) => {
        noticed.add(id);
        report(id, 'failed');
      });
    }
    for (const [id, tests] of reaching) {
      if (!noticed.has(id)) report(id, await this.#runAlone(id, tests));
    }
  }

  /** Runs a test file once per mutant in a shared runtime, and reports the mutants that were noticed. */
  async #runInTurn(test: string, mutants: number[], onNoticed: (mutant: number) => void): Promise<void> {
    let left = mutants;
    while (left.length > 0) {
      const order = left.flatMap((id, at) => ((at + 1) % MUTANTS_PER_CHECK === 0 ? [id, 0] : [id]));
      let since: TurnReply[] = [];
      let checked = 0;
      let isSound = true;
      const onReply = (each: TurnReply) => {
        if (!isSound) return;
        if (each.tested !== 0) {
          since.push(each);
          return;
        }
        isSound = each.outcome === 'passed';
        checked += since.length;
        if (!isSound) return;
        for (const { tested, outcome } of since) if (outcome === 'failed') onNoticed(tested);
        since = [];
      };
      const count = await this.#runTurns(test, [...order, 0], onReply);
      const rest = left.slice(checked);
      // If a run without a mutant fails, one of the mutants since the last such run left something broken.
      // Each of these mutants is later run alone. A mutant that hung is also run alone. The mutants before it
      // without a confirmed result are repeated in the next batch.
      const hung = isSound && count <= order.length ? rest[since.length] : undefined;
      left = rest.filter((id) => id !== hung);
    }
  }

  /**
   * Runs a batch of mutants, passes on their results and returns how many there were. If a mutant hangs, there
   * are fewer results than mutants.
   */
  async #runTurns(test: string, mutants: number[], onReply: (reply: TurnReply) => void): Promise<number> {
    let count = 0;
    const seconds = Math.max(MIN_TURN_SECONDS, this.#durations.get(test) ?? 0);
    await this.#session.run(
      { mutants, test },
      this.#timeoutSeconds([test]),
      (tested) => {
        count += 1;
        onReply(tested);
      },
      seconds,
    );
    return count;
  }

  /**
   * Runs one mutant alone. Only a failure that occurs twice counts, because another cause may have failed the
   * first run.
   */
  async #runAlone(mutant: number, tests: string[]): Promise<Outcome> {
    let outcome: Outcome = 'timed out';
    for (let attempt = 0; attempt < ATTEMPTS; attempt++) {
      const reply = await this.#session.run({ mutant, tests }, this.#timeoutSeconds(tests));
      outcome = reply?.outcome ?? 'timed out';
      if (outcome !== 'failed') break;
    }
    return outcome;
  }

  #timeoutSeconds(tests: string[]): number {
    const duration = tests.reduce((sum, test) => sum + (this.#durations.get(test) ?? 0), 0);
    return Math.max(duration * TIMEOUT_FACTOR, MIN_TIMEOUT_SECONDS);
  }
}
