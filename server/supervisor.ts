import { rmSync } from 'node:fs';
import { createLog, type Log } from './log.ts';
import { reachableHost, type ServerOptions } from './options.ts';
import { LeaseServer } from './parsers/lease-server.ts';
import { ParserPool } from './parsers/parser-pool.ts';
import { ParserProcess } from './parsers/parser-process.ts';
import { EXTRA_PROCESSES } from './parsers/queue.ts';
import type { Runtime } from './runtime/runtime.ts';
import { Operations } from './service/operations.ts';
import { startService } from './service/service-process.ts';
import { Watchdog } from './service/watchdog.ts';
import { makeSocketFolder } from './socket-folder.ts';

export interface SupervisorSettings {
  options: ServerOptions;
  serviceVariables: Record<string, string>;
  parserVariables: Record<string, string>;
  /** Replacements for the service's entry and the parser's configuration, used by tests and measurements. */
  replaced?: { serviceEntry?: string | undefined; parserConfig?: string | undefined };
}

/** Path of the liveness check, which the service answers without accessing the database. */
const HEARTBEAT_PATH = '/health/live';

/**
 * Runs the processes of a single-machine server: one for the service with all state, and one per concurrent
 * parser call. A process that hangs or takes too much memory is killed and restarted. Its work is retried and
 * fails permanently after the allowed number of starts.
 */
export class Supervisor {
  readonly #settings: SupervisorSettings;
  readonly #log: Log;
  readonly #operations = new Operations(() => this.#watchdog.reportLife());
  readonly #socketFolder: string;
  readonly #pool: ParserPool;
  readonly #watchdog: Watchdog;
  #service: Runtime | undefined;

  constructor(settings: SupervisorSettings) {
    this.#settings = settings;
    const { options, serviceVariables } = settings;
    this.#socketFolder = makeSocketFolder(options.stateDir);
    this.#log = createLog(serviceVariables.LOG_LEVEL);
    this.#pool = this.#createPool();
    this.#watchdog = new Watchdog({
      limitMs: options.watchdogMs,
      ping: (signal) => this.#ask(signal),
      onHang: (silentMs) => this.#restartService(silentMs),
    });
  }

  async start(): Promise<void> {
    const { options, serviceVariables, replaced } = this.#settings;
    const [service] = await Promise.all([
      startService({
        address: `${options.host.includes(':') ? `[${options.host}]` : options.host}:${options.port}`,
        stateDir: options.stateDir,
        socketFolder: this.#socketFolder,
        variables: serviceVariables,
        parserSlots: options.parserProcesses + EXTRA_PROCESSES,
        parserSilenceMs: options.parserSilenceMs,
        leases: new LeaseServer(this.#pool),
        operations: this.#operations,
        entry: replaced?.serviceEntry,
        log: this.#log,
        onEnd: (reason) => this.#reportServiceEnd(reason),
      }),
      this.#pool.start(),
    ]);
    this.#service = service;
    this.#watchdog.start();
  }

  /** Stops accepting requests, waits for running ones up to the configured limit, and ends all processes. */
  async stop(): Promise<void> {
    this.#watchdog.stop();
    await this.#service?.stop(this.#settings.options.shutdownMs);
    await this.#pool.close();
    rmSync(this.#socketFolder, { recursive: true, force: true });
  }

  #createPool(): ParserPool {
    const { options, parserVariables, replaced } = this.#settings;
    return new ParserPool(
      {
        share: options.parserProcesses,
        callMs: options.parserCallMs,
        memoryMib: options.parserMemoryMib,
        log: this.#log,
      },
      (slot) =>
        new ParserProcess({
          slot,
          socketFolder: this.#socketFolder,
          stateDir: options.stateDir,
          variables: parserVariables,
          config: replaced?.parserConfig,
          log: this.#log,
          onEnd: (reason) => this.#pool.reportEnd(slot, reason),
        }),
    );
  }

  async #ask(signal: AbortSignal): Promise<void> {
    const { host, port } = this.#settings.options;
    const answer = await fetch(`http://${reachableHost(host)}:${port}${HEARTBEAT_PATH}`, { signal });
    await answer.arrayBuffer();
  }

  async #restartService(silentMs: number): Promise<void> {
    this.#log.error('the service does not answer and is restarted', {
      silentSeconds: Math.round(silentMs / 1000),
      inFlight: this.#operations.inFlight(),
    });
    await this.#service?.restart();
    this.#log.warn(
      'the service was restarted; unfinished work is retried until its allowed starts are used up',
    );
  }

  #reportServiceEnd(reason: string): void {
    this.#log.error('the process of the service ended and is started again', {
      reason,
      inFlight: this.#operations.inFlight(),
    });
    this.#operations.clear();
    void this.#pool.abandonAll();
  }
}
