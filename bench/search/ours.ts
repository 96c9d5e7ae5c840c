import { copyFileSync, existsSync, mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
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

export interface Upkeep {
  /** Of each query that was asked meanwhile. */
  milliseconds: number[];
  /** From the first of them to the end of the upkeep. */
  seconds: number;
}

export interface ShardFigures {
  chunks: number;
  bytes: number;
}

/** The index in a runtime of its own, its data in a folder that goes with it. */
export class Ours {
  readonly #folder = mkdtempSync(join(tmpdir(), 'sluice-bench-'));
  readonly #config: URL;
  #worker: Awaited<ReturnType<typeof unstable_startWorker>> | undefined;

  /** `config`: of the Worker that drives what is measured. */
  constructor(config = new URL('wrangler.toml', import.meta.url)) {
    this.#config = config;
  }

  /** `vars`: beside those of the configuration. */
  async start(vars: Record<string, string> = {}): Promise<void> {
    // As scripts/wrangler.ts sets them: without a trace of every statement, and without a network.
    process.env.X_LOCAL_OBSERVABILITY = 'false';
    process.env.CLOUDFLARE_CF_FETCH_ENABLED = 'false';
    this.#worker = await unstable_startWorker({
      config: fileURLToPath(this.#config),
      bindings: Object.fromEntries(
        Object.entries(vars).map(([name, value]) => [name, { type: 'plain_text', value }]),
      ),
      dev: { persist: this.#folder, logLevel: 'error', server: { port: 0 }, inspector: false, watch: false },
    });
    await this.#worker.ready;
  }

  async restart(vars?: Record<string, string>): Promise<void> {
    await this.#worker?.dispose();
    await this.start(vars);
  }

  /** Gives these shards, which exist, what another one holds. */
  async copy(from: string, to: string[], vars?: Record<string, string>): Promise<void> {
    const [source, ...targets] = await this.call<string[]>(`/ids?shards=${[from, ...to]}`);
    await this.#worker?.dispose();
    const files = readdirSync(this.#folder, { recursive: true, encoding: 'utf8' });
    const fileOf = (id: string) => join(this.#folder, files.find((file) => file.endsWith(`${id}.sqlite`))!);
    for (const target of targets) {
      for (const end of ['', '-wal', '-shm']) {
        rmSync(`${fileOf(target)}${end}`, { force: true });
        if (existsSync(`${fileOf(source!)}${end}`)) {
          copyFileSync(`${fileOf(source!)}${end}`, `${fileOf(target)}${end}`);
        }
      }
    }
    await this.start(vars);
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

  /** No alarm is due any more. */
  async settle(shards: string): Promise<void> {
    while (!(await this.call<boolean>(`/settled?shards=${shards}`)))
      await new Promise((done) => setTimeout(done, 500));
  }

  /** Resident bytes of the runtime. */
  memory(): number {
    return runtimes().reduce((sum, pid) => sum + residentBytes(pid), 0);
  }
}

/** Process ids of this process's runtimes, where the system lists processes in /proc. */
function runtimes(): string[] {
  try {
    return readdirSync('/proc').filter((pid) => {
      if (!/^\d+$/.test(pid)) return false;
      try {
        const status = readFileSync(`/proc/${pid}/status`, 'utf8');
        return status.startsWith('Name:\tworkerd\n') && status.includes(`\nPPid:\t${process.pid}\n`);
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
