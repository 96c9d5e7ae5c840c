import { AsyncLocalStorage } from 'node:async_hooks';
import type { ChildProcess } from 'node:child_process';
import { channel } from 'node:diagnostics_channel';
import { createRequire } from 'node:module';
import { constants, setPriority } from 'node:os';
import { resolve } from 'node:path';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import type { Miniflare, V4MiniflareOptions, V4WorkerOptions } from 'miniflare';
import '#scripts/patch-wrangler.ts';
import { forgetProcess, recordProcess, STATE_VARIABLE } from '#scripts/local-state/leftover-processes.ts';

// Miniflare must be loaded after patch-wrangler.ts, which patches it so that it opens no unauthenticated
// ports.
const miniflare = createRequire(import.meta.url)('miniflare') as typeof import('miniflare');

export interface RuntimeSettings {
  /** Name of the process in the log, also set as `SLUICE_PROCESS` in its environment. */
  name: string;
  workers: V4WorkerOptions[];
  /** State folder of the server that the process belongs to. Absent for a process without a server. */
  stateDir?: string;
  /** True if the process stores its data in the state folder. Otherwise it stores nothing. */
  isStateful?: boolean;
  /** Called with each line that the process prints. */
  onOutput: (level: string, message: string) => void;
  /** Called each time the process has ended unexpectedly, before it is restarted. */
  onEnd?: (signal: string) => void;
  /** True if the process runs with a lower priority than the rest of the server. */
  isBackground?: boolean;
}

const START_LIMIT_MS = 60_000;

/**
 * V8 flags of the runtime's processes, unless the operator sets others. The service's process has about
 * thirty isolates. By default each isolate collects old objects late, along with the native memory that they
 * hold. Under load the process then used more than twice the memory. The few busy isolates may keep up to 48 MiB
 * for new objects: with 6 MiB, indexing took up to a tenth more CPU time and no less memory
 * (`npm run bench:sync lines`).
 */
process.env.MINIFLARE_WORKERD_V8_FLAGS ??=
  '--max-semi-space-size=16 --min-semi-space-size=1 --initial-old-space-size=8 --heap-growing-percent=50';

setFlagsFromString('--expose-gc');
const collectGarbage = runInNewContext('gc') as () => void;
const COLLECTION_DELAY_MS = 2_000;
let collection: NodeJS.Timeout | undefined;

/**
 * Runs the garbage collector after a start. Assembling a configuration reads every bundle and leaves tens of
 * megabytes of garbage, which Node would not release.
 */
function scheduleCollection(): void {
  clearTimeout(collection);
  collection = setTimeout(collectGarbage, COLLECTION_DELAY_MS).unref();
}

/** Runtime whose process is being started. A new child process is assigned to this runtime. */
const starting = new AsyncLocalStorage<Runtime>();

channel('child_process').subscribe((message) => {
  starting.getStore()?.adopt((message as { process: ChildProcess }).process);
});

/**
 * Process of workerd, managed by an instance of Miniflare. Miniflare restarts it at the same addresses
 * whenever it ends before `dispose`.
 */
export class Runtime {
  readonly #settings: RuntimeSettings;
  #miniflare: Miniflare | undefined;
  #child: ChildProcess | undefined;
  #listening = Promise.withResolvers<void>();
  #isStopping = false;
  #disposed: Promise<void> | undefined;
  restarts = 0;

  private constructor(settings: RuntimeSettings) {
    this.#settings = settings;
    this.#listening.promise.catch(() => {});
  }

  /**
   * Resolves once the process accepts connections. Rejects with the process's own message if it cannot start.
   */
  static async start(settings: RuntimeSettings): Promise<Runtime> {
    const runtime = new Runtime(settings);
    await starting.run(runtime, () => runtime.#start());
    return runtime;
  }

  async #start(): Promise<void> {
    const { name, workers, stateDir, isStateful, onOutput } = this.#settings;
    const options: V4MiniflareOptions = {
      host: '127.0.0.1',
      port: 0,
      cf: false,
      logRequests: false,
      ...(isStateful && stateDir && { resourcePersistencePath: resolve(stateDir, 'v3') }),
      workers,
    };
    const converted = miniflare.convertV4MiniflareOptions(options);
    this.#miniflare = withoutSignalListeners(
      () =>
        new miniflare.Miniflare({
          ...converted,
          unsafeRuntimeEnv: {
            SLUICE_PROCESS: name,
            ...(stateDir && { [STATE_VARIABLE]: resolve(stateDir) }),
          },
          handleStructuredLogs: ({ level, message }) => onOutput(level, message),
          unsafeHandleRuntimeRestart: () => this.#markListening(),
        }),
    );
    await this.#miniflare.ready;
    this.#markListening();
  }

  #markListening(): void {
    this.#listening.resolve();
    scheduleCollection();
  }

  /** @internal Called with the child process that belongs to this runtime. */
  adopt(child: ChildProcess): void {
    if (this.#child !== undefined) this.restarts += 1;
    this.#child = child;
    const { stateDir, isBackground } = this.#settings;
    child.once('spawn', () => {
      if (stateDir) {
        recordProcess(stateDir, child.pid!);
        child.once('exit', () => forgetProcess(stateDir, child.pid!));
      }
      if (isBackground) lowerPriority(child.pid!);
    });
    // This listener is registered before Miniflare's own. It therefore knows whether the stop was intended
    // before Miniflare restarts the process.
    child.once('exit', (code, signal) => {
      if (this.#isStopping) return;
      this.#listening = Promise.withResolvers();
      this.#listening.promise.catch(() => {});
      this.#settings.onEnd?.(signal ?? `exit code ${code}`);
    });
  }

  get pid(): number | undefined {
    return this.#child?.pid;
  }

  /** Miniflare instance that runs the process, used to access its bindings. */
  get miniflare(): Miniflare {
    return this.#miniflare!;
  }

  /** Kills the process. Resolves once its replacement accepts connections. */
  async restart(): Promise<void> {
    if (this.#isStopping) return;
    const child = this.#child;
    if (child && child.exitCode === null && child.signalCode === null) {
      const gone = new Promise((resolve) => child.once('exit', resolve));
      child.kill('SIGKILL');
      await gone;
    }
    await this.ready;
  }

  /**
   * Resolves once the process accepts connections, which takes time only while it is being restarted. Rejects
   * after one minute.
   */
  get ready(): Promise<void> {
    const late = Promise.withResolvers<never>();
    const timer = setTimeout(() => {
      late.reject(
        new Error(`the process "${this.#settings.name}" did not start within ${START_LIMIT_MS} ms`),
      );
    }, START_LIMIT_MS);
    return Promise.race([this.#listening.promise, late.promise]).finally(() => clearTimeout(timer));
  }

  /**
   * Ends the process. With `drainMs`, it first stops accepting connections and lets running requests finish
   * for at most this many milliseconds.
   */
  async stop(drainMs = 0): Promise<void> {
    this.#isStopping = true;
    const child = this.#child;
    if (drainMs > 0 && child && child.exitCode === null && child.signalCode === null) {
      const ended = new Promise<void>((resolve) =>
        child.once('exit', () => {
          // Miniflare is disposed of immediately, because it would otherwise restart the process.
          void this.#dispose();
          resolve();
        }),
      );
      child.kill('SIGTERM');
      const timer = Promise.withResolvers<void>();
      const limit = setTimeout(timer.resolve, drainMs);
      await Promise.race([ended, timer.promise]);
      clearTimeout(limit);
    }
    await this.#dispose();
  }

  #dispose(): Promise<void> {
    this.#disposed ??= this.#miniflare!.dispose();
    return this.#disposed;
  }
}

const SIGNALS = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const;

/**
 * Runs `create` and removes the signal listeners that it added. Miniflare's listeners would end this process
 * at once.
 */
function withoutSignalListeners<Value>(create: () => Value): Value {
  const before = SIGNALS.map((signal) => process.listeners(signal));
  const value = create();
  for (const [index, signal] of SIGNALS.entries()) {
    for (const listener of process.listeners(signal)) {
      if (!before[index]!.includes(listener)) process.removeListener(signal, listener);
    }
  }
  return value;
}

function lowerPriority(pid: number): void {
  try {
    setPriority(pid, constants.priority.PRIORITY_BELOW_NORMAL);
  } catch {
    // Some systems do not allow lowering a priority. The process then competes with the service for the CPU.
  }
}
