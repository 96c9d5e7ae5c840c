import { resolve } from 'node:path';
import { COMPATIBILITY, loadModules, ocrWorker, WORKERS } from '#scripts/build-workers.ts';
import type { Log } from '../log.ts';
import { residentMib } from '../runtime/memory.ts';
import { Runtime } from '../runtime/runtime.ts';
import { extraBinding } from '../runtime/sockets-plugin.ts';

export interface ParserProcessSettings {
  /** Index of the parser process, starting at 0. */
  slot: number;
  /** Folder of the Unix sockets, which only this user can access. */
  socketFolder: string;
  /** State folder of the server. A parser process stores nothing in it. */
  stateDir: string;
  variables: Record<string, string>;
  /** Wrangler configuration of a replacement parser, used by tests and measurements. */
  config?: string | undefined;
  log: Log;
  onEnd: (reason: string) => void;
}

/** Returns the path of the socket on which a parser process accepts calls. */
export const parserSocket = (folder: string, slot: number): string => resolve(folder, `parser-${slot}.sock`);
/** Returns the path of the socket on which the service's process serves its bucket to the parsers. */
export const bucketSocket = (folder: string): string => resolve(folder, 'bucket.sock');

/**
 * Process that runs the parser Worker and the OCR Worker, one call at a time. It is started when it is first
 * needed.
 */
export class ParserProcess {
  readonly slot: number;
  readonly #settings: ParserProcessSettings;
  #runtime: Promise<Runtime> | undefined;

  constructor(settings: ParserProcessSettings) {
    this.slot = settings.slot;
    this.#settings = settings;
  }

  get isRunning(): boolean {
    return this.#runtime !== undefined;
  }

  async ensureReady(): Promise<void> {
    this.#runtime ??= this.#start().catch((error: unknown) => {
      this.#runtime = undefined;
      throw error;
    });
    await (await this.#runtime).ready;
  }

  async restart(): Promise<void> {
    await (await this.#runtime)?.restart();
  }

  async stop(): Promise<void> {
    const runtime = this.#runtime;
    this.#runtime = undefined;
    await (await runtime?.catch(() => undefined))?.stop();
  }

  /** Returns the resident memory of the process in MiB, or 0 if the process is not running. */
  async memoryMib(): Promise<number> {
    const pid = (await this.#runtime?.catch(() => undefined))?.pid;
    return pid === undefined ? 0 : ((await residentMib(pid)) ?? 0);
  }

  #start(): Promise<Runtime> {
    const {
      slot,
      socketFolder,
      stateDir,
      variables,
      config = WORKERS.parser.config,
      log,
      onEnd,
    } = this.#settings;
    const name = `parser ${slot}`;
    return Runtime.start({
      name,
      stateDir,
      isBackground: true,
      onOutput: (level, message) => log.relay(name, level, message),
      onEnd,
      workers: [
        {
          ...COMPATIBILITY,
          ...loadModules('parser', { config }),
          name: 'sluice-parser',
          cacheAPI: false,
          bindings: variables,
          serviceBindings: { OCR_ENGINE: 'sluice-ocr' },
          unsafeBindings: [
            extraBinding('FILES', { kind: 'bucket', address: `unix:${bucketSocket(socketFolder)}` }),
            extraBinding('CALLS', {
              kind: 'listen',
              socket: 'calls',
              address: `unix:${parserSocket(socketFolder, slot)}`,
              service: { name: 'core:user:sluice-parser' },
              isRpc: true,
            }),
          ],
        },
        { ...ocrWorker(), cacheAPI: false },
      ],
    });
  }
}
