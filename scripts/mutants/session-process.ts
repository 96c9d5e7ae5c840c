import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { createInterface, type Interface } from 'node:readline';
import type { Order, Reply } from './session.ts';

export const START_SECONDS = 400;

export type Done = Extract<Reply, { seconds: number }>;
export type TurnReply = Extract<Reply, { tested: number }>;

/** Sessions that run. Their process groups do not end with this process unless they are killed. */
const running = new Set<ChildProcess>();
process.once('exit', () => {
  for (const child of running) killGroup(child);
});
for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.once(signal, () => process.exit(130));

/** Kills a process group, which includes the runtimes that the session started. */
function killGroup(child: ChildProcess): void {
  if (child.pid && child.exitCode === null && child.signalCode === null) process.kill(-child.pid, 'SIGKILL');
}

/** Process of session.ts for one room. The process is started when needed, and restarted after a hang. */
export class SessionProcess {
  readonly #plan: string;
  readonly #signal: AbortSignal | undefined;
  #session: { child: ChildProcess; lines: Interface } | undefined;

  /** `plan` is the path of the file with the room's plan. When `signal` aborts, the process is killed. */
  constructor(plan: string, signal?: AbortSignal) {
    this.#plan = plan;
    this.#signal = signal;
  }

  /**
   * Sends an order to the session and returns its final reply. Returns `undefined` if the first reply takes
   * longer than `seconds`, or a later one longer than `then` (both in seconds). Throws if the signal aborts.
   */
  async run(
    order: Order,
    seconds: number,
    onReply?: (tested: TurnReply) => void,
    then = seconds,
  ): Promise<Done | undefined> {
    this.#signal?.throwIfAborted();
    const current = this.#session;
    const isRunning = current !== undefined && running.has(current.child);
    const { child, lines } = isRunning ? current : await this.#start();
    const done = waitForReply<Done>(lines, [seconds, then], (reply, end) => {
      if ('seconds' in reply) end(reply);
      else if ('tested' in reply) onReply?.(reply);
    });
    child.stdin!.write(`${JSON.stringify(order)}\n`);
    const reply = await done;
    if (reply) return reply;
    await this.end();
    this.#signal?.throwIfAborted();
    return undefined;
  }

  async end(): Promise<void> {
    const child = this.#session?.child;
    this.#session = undefined;
    if (!child || !running.has(child)) return;
    const exit = once(child, 'exit');
    killGroup(child);
    await exit;
  }

  async #start() {
    const child = spawn(process.execPath, ['scripts/mutants/session.ts', this.#plan], {
      stdio: ['pipe', 'pipe', 'ignore'],
      detached: true,
      // Rooms name usual tests, also if this process was started for the slow ones.
      env: { ...process.env, TESTS: 'usual' },
    });
    const kill = () => killGroup(child);
    running.add(child);
    this.#signal?.addEventListener('abort', kill);
    child.once('exit', () => {
      running.delete(child);
      this.#signal?.removeEventListener('abort', kill);
    });
    // Writing to a session that was killed fails. The missing reply is noticed anyway.
    child.stdin!.on('error', () => {});
    const lines = createInterface({ input: child.stdout! });
    this.#session = { child, lines };
    const ready = await waitForReply<true>(
      lines,
      [START_SECONDS, START_SECONDS],
      (reply, end) => 'ready' in reply && end(true),
    );
    if (ready) return this.#session;
    await this.end();
    this.#signal?.throwIfAborted();
    throw new Error('The tests did not start.');
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
