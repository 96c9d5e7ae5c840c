import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { createInterface, type Interface } from 'node:readline';
import type { Mutant } from './schemata.ts';
import type { Order, Outcome, Reply } from './session.ts';

export type Numbered = Mutant & { id: number };

/** A run that takes this many times as long as one without mutants hangs, and no shorter one does. */
const PATIENCE = 5;
const LEAST_PATIENCE_SECONDS = 120;
const START_SECONDS = 400;
const TRIES = 2;
/** Longer than a test of a turn may take, which batch.ts bounds. */
const LEAST_TURN_SECONDS = 15;
/** So many mutants take turns until a run without any looks whether they left something broken. */
const BETWEEN_LOOKS = 8;

type Done = Extract<Reply, { seconds: number }>;
type Tried = Extract<Reply, { tried: number }>;

/**
 * The tests of a room, started once, and anew after a mutant that hangs. Loading the service takes far longer than
 * its tests, so mutants take turns in one runtime. Whom that finds is checked by a run without mutants behind it; whom
 * it does not find has a runtime of its own, awake from the start.
 */
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
      const reply = await this.#sound(test);
      this.#usual.set(test, reply.seconds);
      for (const id of reply.reached) reaching.set(id, [...(reaching.get(id) ?? []), test]);
    }
    return reaching;
  }

  /** On a machine that is busy with other things, a test may fail once. */
  async #sound(test: string): Promise<Done> {
    let why: string | undefined;
    for (let tries = 0; tries < TRIES; tries++) {
      const reply = await this.#ask({ mutant: 0, tests: [test] }, START_SECONDS);
      if (reply?.failed === null) return reply;
      why = reply?.failed ?? 'it hangs';
      await this.end();
    }
    throw new Error(`${test} fails without a mutant: ${why}`);
  }

  /** Tells of each mutant whether a test fails with it, as soon as it is known. */
  async judge(
    reaching: Map<number, string[]>,
    tell: (mutant: number, outcome: Outcome) => void,
  ): Promise<void> {
    const noticed = new Set<number>();
    const quickFirst = [...this.#usual].toSorted(([, a], [, b]) => a - b).map(([test]) => test);
    for (const test of quickFirst) {
      const mutants = [...reaching].filter(([id, tests]) => tests.includes(test) && !noticed.has(id));
      const found = await this.#inTurn(
        test,
        mutants.map(([id]) => id).toSorted((a, b) => a - b),
      );
      for (const id of found) {
        noticed.add(id);
        tell(id, 'failed');
      }
    }
    for (const [id, tests] of reaching) {
      if (!noticed.has(id)) tell(id, await this.#alone(id, tests));
    }
  }

  async #inTurn(test: string, mutants: number[]): Promise<number[]> {
    const found: number[] = [];
    let left = mutants;
    while (left.length > 0) {
      const order = left.flatMap((id, at) => ((at + 1) % BETWEEN_LOOKS === 0 ? [id, 0] : [id]));
      const told = await this.#turns(test, [...order, 0]);
      let since: Tried[] = [];
      let looked = 0;
      let isSound = true;
      for (const each of told) {
        if (each.tried !== 0) since.push(each);
        else {
          isSound = each.outcome === 'passed';
          looked += since.length;
          if (!isSound) break;
          found.push(...since.filter(({ outcome }) => outcome === 'failed').map(({ tried }) => tried));
          since = [];
        }
      }
      const rest = left.slice(looked);
      // Who broke something is among those since the last look, who each get a runtime of their own; who hung has told
      // nothing and will have a runtime too, and whoever came between that one and the last look has another turn.
      const hung = isSound && told.length <= order.length ? rest[since.length] : undefined;
      left = rest.filter((id) => id !== hung);
    }
    return found;
  }

  /** What each turn came to; fewer than there are mutants when one hangs. */
  async #turns(test: string, mutants: number[]): Promise<Tried[]> {
    const told: Tried[] = [];
    const seconds = Math.max(LEAST_TURN_SECONDS, this.#usual.get(test) ?? 0);
    await this.#ask({ mutants, test }, this.#patience([test]), (tried) => told.push(tried), seconds);
    return told;
  }

  /** A failure counts when it comes again: nothing else says that it is the mutant's. */
  async #alone(mutant: number, tests: string[]): Promise<Outcome> {
    let outcome: Outcome = 'timed out';
    for (let tries = 0; tries < TRIES; tries++) {
      const reply = await this.#ask({ mutant, tests }, this.#patience(tests));
      outcome = reply?.outcome ?? 'timed out';
      if (outcome !== 'failed') break;
    }
    return outcome;
  }

  #patience(tests: string[]): number {
    const usual = tests.reduce((sum, test) => sum + (this.#usual.get(test) ?? 0), 0);
    return Math.max(usual * PATIENCE, LEAST_PATIENCE_SECONDS);
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

  /** Undefined when nothing is told for so many seconds, `then` of them once something was. */
  async #ask(
    order: Order,
    seconds: number,
    hear?: (tried: Tried) => void,
    then = seconds,
  ): Promise<Done | undefined> {
    const { child, lines } = this.#session ?? (await this.#start());
    const done = replies<Done>(lines, [seconds, then], (reply, end) => {
      if ('seconds' in reply) end(reply);
      else if ('tried' in reply) hear?.(reply);
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
    const ready = await replies<true>(
      lines,
      [START_SECONDS, START_SECONDS],
      (reply, end) => 'ready' in reply && end(true),
    );
    if (!ready) throw new Error('The tests did not start.');
    return this.#session;
  }
}

/** Hears each reply until one ends it; undefined when none came for that many seconds, or at the end of the lines. */
async function replies<End>(
  lines: Interface,
  [first, then]: [number, number],
  hear: (reply: Reply, end: (value: End) => void) => void,
): Promise<End | undefined> {
  const { promise, resolve } = Promise.withResolvers<End | undefined>();
  const onClose = () => resolve(undefined);
  let timer = setTimeout(onClose, first * 1000);
  const onLine = (line: string) => {
    if (!line.startsWith('\u0001')) return;
    clearTimeout(timer);
    timer = setTimeout(onClose, then * 1000);
    hear(JSON.parse(line.slice(1)) as Reply, resolve);
  };
  lines.on('line', onLine).on('close', onClose);
  try {
    return await promise;
  } finally {
    clearTimeout(timer);
    lines.off('line', onLine).off('close', onClose);
  }
}
