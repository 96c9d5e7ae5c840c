import type { StopReason } from '#src/parse/stopped-parser.ts';
import type { Log } from '../log.ts';
import { EXTRA_PROCESSES, TurnQueue, type Waiting } from './queue.ts';

export interface PooledProcess {
  readonly slot: number;
  readonly isRunning: boolean;
  ensureReady(): Promise<void>;
  restart(): Promise<void>;
  stop(): Promise<void>;
  memoryMib(): Promise<number>;
}

export interface PoolSettings {
  /** Number of parser calls that one project may run at the same time. */
  share: number;
  /** Maximum duration of a parser call in milliseconds. */
  callMs: number;
  /** Memory use in MiB at which a process is stopped even while it runs a call. */
  memoryMib: number;
  /** Interval between memory measurements in milliseconds. */
  checkMs?: number;
  log: Log;
}

export interface CallRequest extends Waiting {
  what: string;
}

/** Right of a parser call to use one process until the call ends. */
export interface PoolLease {
  readonly slot: number;
  /**
   * Resolves with the reason if the pool stops the process during the call. Otherwise the promise stays
   * pending.
   */
  readonly stopped: Promise<{ reason: StopReason; message: string }>;
  /** Ends the call and frees its process for the next call. */
  finish(): void;
  /** Stops the process of a call that does not return. */
  stop(reason: StopReason): Promise<void>;
}

interface Queued extends CallRequest {
  grant: (lease: ActiveCall) => void;
  fail: (error: unknown) => void;
}

interface ActiveCall extends PoolLease {
  readonly tenant: string;
}

/** Memory in MiB above which an idle process is replaced, because WebAssembly memory never shrinks. */
const IDLE_MIB = 320;
/** Idle time in milliseconds after which a process above `IDLE_MIB` is replaced. */
const IDLE_TRIM_MS = 2_000;
/**
 * Fraction, from 0 to 1, of the memory limit. A process above this fraction is replaced before it takes
 * another call.
 */
const RECYCLE_SHARE = 0.6;
/** Idle time in milliseconds after which a process is stopped. The first process keeps running. */
const IDLE_MS = 60_000;
const CHECK_MS = 250;

/**
 * Assigns each call its own parser process, and stops processes that run too long or take too much memory.
 */
export class ParserPool {
  readonly #settings: PoolSettings;
  readonly #processes: readonly PooledProcess[];
  readonly #queue: TurnQueue<Queued>;
  readonly #active = new Map<number, ActiveCall>();
  /** Slots that are being restarted and cannot take calls. */
  readonly #restarting = new Set<number>();
  readonly #idleSince = new Map<number, number>();
  /** Last measured memory of each process in MiB. */
  readonly #memory = new Map<number, number>();
  readonly #timer: NodeJS.Timeout;
  #isClosed = false;

  constructor(settings: PoolSettings, createProcess: (slot: number) => PooledProcess) {
    this.#settings = settings;
    this.#queue = new TurnQueue(settings.share);
    const slots = Array.from({ length: settings.share + EXTRA_PROCESSES }, (_, slot) => slot);
    this.#processes = slots.map(createProcess);
    this.#timer = setInterval(() => void this.#check(), settings.checkMs ?? CHECK_MS);
    this.#timer.unref();
  }

  /** Starts the first process, so that the first document does not have to wait for it. */
  async start(): Promise<void> {
    await this.#processes[0]!.ensureReady();
    this.#idleSince.set(0, Date.now());
  }

  /** Resolves with a lease of a process once it is the call's turn and the process is ready. */
  lease(request: CallRequest, signal?: AbortSignal): Promise<PoolLease> {
    return new Promise((grant, fail) => {
      const queued: Queued = { ...request, grant, fail };
      signal?.addEventListener('abort', () => {
        this.#queue.remove(queued);
        fail(signal.reason);
      });
      this.#queue.add(queued);
      this.#serve();
    });
  }

  /** Called when a process ended without being stopped by the pool. Its call has already failed. */
  reportEnd(slot: number, reason: string): void {
    if (this.#restarting.has(slot) || this.#isClosed) return;
    const { log } = this.#settings;
    log.warn('a parser process ended and is started again', { parser: slot, reason });
    this.#active.get(slot)?.stop('crashed');
  }

  /**
   * Stops all processes that are running a call, for example after the service that made the calls has ended.
   */
  async abandonAll(): Promise<void> {
    await Promise.all([...this.#active.values()].map((call) => call.stop('abandoned')));
  }

  async close(): Promise<void> {
    this.#isClosed = true;
    clearInterval(this.#timer);
    await Promise.all(this.#processes.map((each) => each.stop()));
  }

  #serve(): void {
    for (;;) {
      const free = this.#freeProcess();
      if (!free) return;
      const next = this.#queue.take([...this.#active.values()]);
      if (!next) return;
      const call = this.#activate(free, next);
      free.ensureReady().then(
        () => next.grant(call),
        (error: unknown) => {
          call.finish();
          next.fail(error);
        },
      );
    }
  }

  /** Returns a running process if one is free, otherwise one that has to be started. */
  #freeProcess(): PooledProcess | undefined {
    const free = this.#processes.filter(({ slot }) => !this.#active.has(slot) && !this.#restarting.has(slot));
    return free.find(({ isRunning }) => isRunning) ?? free[0];
  }

  #activate(worker: PooledProcess, { tenant, what }: CallRequest): ActiveCall {
    const { slot } = worker;
    const { callMs, log } = this.#settings;
    const { promise: stopped, resolve } = Promise.withResolvers<{ reason: StopReason; message: string }>();
    const startedAt = Date.now();
    const release = () => {
      clearTimeout(deadline);
      if (this.#active.get(slot) !== call) return false;
      this.#active.delete(slot);
      this.#idleSince.set(slot, Date.now());
      return true;
    };
    const call: ActiveCall = {
      tenant,
      slot,
      stopped,
      finish: () => {
        if (!release()) return;
        const isLarge = (this.#memory.get(slot) ?? 0) > RECYCLE_SHARE * this.#settings.memoryMib;
        if (isLarge) void this.#restart(worker);
        else this.#serve();
      },
      stop: async (reason) => {
        if (!release()) return;
        const seconds = Math.round((Date.now() - startedAt) / 1000);
        resolve({ reason, message: describeStop(reason, seconds) });
        log.warn('a parser process was stopped', { parser: slot, reason, seconds, call: what });
        await this.#restart(worker);
      },
    };
    const deadline = setTimeout(() => void call.stop('deadline'), callMs);
    this.#active.set(slot, call);
    return call;
  }

  async #restart(worker: PooledProcess): Promise<void> {
    this.#restarting.add(worker.slot);
    this.#memory.delete(worker.slot);
    try {
      await worker.restart();
    } catch (error) {
      this.#settings.log.error('a parser process could not be started again', { error: String(error) });
      await worker.stop();
    } finally {
      this.#restarting.delete(worker.slot);
      this.#serve();
    }
  }

  async #check(): Promise<void> {
    await Promise.all(
      this.#processes.filter(({ isRunning }) => isRunning).map((each) => this.#checkOne(each)),
    );
  }

  async #checkOne(worker: PooledProcess): Promise<void> {
    const { slot } = worker;
    const memory = await worker.memoryMib();
    if (this.#isClosed || this.#restarting.has(slot)) return;
    this.#memory.set(slot, memory);
    const call = this.#active.get(slot);
    if (call) {
      if (memory > this.#settings.memoryMib) await call.stop('memory');
      return;
    }
    const idleMs = Date.now() - (this.#idleSince.get(slot) ?? 0);
    if (slot > 0 && idleMs > IDLE_MS) await worker.stop();
    else if (memory > IDLE_MIB && idleMs > IDLE_TRIM_MS) await this.#restart(worker);
  }
}

function describeStop(reason: StopReason, seconds: number): string {
  switch (reason) {
    case 'silent':
      return `it did not respond and was stopped after ${seconds} s`;
    case 'deadline':
      return `it did not finish within ${seconds} s and was stopped`;
    case 'memory':
      return `the parser used too much memory and was stopped after ${seconds} s`;
    case 'crashed':
      return `the parser process crashed after ${seconds} s`;
    case 'abandoned':
      return `the caller disconnected, so the parser was stopped after ${seconds} s`;
  }
}
