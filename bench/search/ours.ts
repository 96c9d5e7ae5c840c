import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { unstable_startWorker } from 'wrangler';

export interface Answer {
  /** Means of small batches. */
  milliseconds: number[];
  ids: string[][];
  timings: Record<string, number>;
}

export interface ShardFigures {
  chunks: number;
  bytes: number;
}

/** The index in a runtime of its own, its data in a folder that goes with it. */
export class Ours {
  readonly #folder = mkdtempSync(join(tmpdir(), 'sluice-bench-'));
  #worker: Awaited<ReturnType<typeof unstable_startWorker>> | undefined;
  #others: Set<string> = new Set();

  async start(): Promise<void> {
    this.#others = new Set(runtimes());
    this.#worker = await unstable_startWorker({
      config: fileURLToPath(new URL('wrangler.toml', import.meta.url)),
      dev: { persist: this.#folder, logLevel: 'error', server: { port: 0 }, inspector: false, watch: false },
    });
    await this.#worker.ready;
  }

  async restart(): Promise<void> {
    await this.#worker?.dispose();
    await this.start();
  }

  async stop(): Promise<void> {
    await this.#worker?.dispose();
    rmSync(this.#folder, { recursive: true, force: true });
  }

  async call<T>(path: string): Promise<T> {
    const response = await this.#worker!.fetch(`http://bench${path}`);
    if (!response.ok) throw new Error(`${path}: ${response.status} ${await response.text()}`);
    return (await response.json()) as T;
  }

  /** Resident bytes of the runtime. */
  memory(): number {
    const own = runtimes().filter((pid) => !this.#others.has(pid));
    return own.reduce((sum, pid) => sum + residentBytes(pid), 0);
  }
}

/** Process ids of runtimes, where the system lists processes in /proc. */
function runtimes(): string[] {
  try {
    return readdirSync('/proc').filter((pid) => {
      if (!/^\d+$/.test(pid)) return false;
      try {
        return readFileSync(`/proc/${pid}/comm`, 'utf8').trim() === 'workerd';
      } catch {
        return false;
      }
    });
  } catch {
    return [];
  }
}

function residentBytes(pid: string): number {
  try {
    return Number(/VmRSS:\s+(\d+)/.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1] ?? 0) * 1024;
  } catch {
    return 0;
  }
}
