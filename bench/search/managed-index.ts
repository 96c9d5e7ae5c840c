import { copyFileSync, existsSync, mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { unstable_startWorker } from 'wrangler';

export interface Answer {
  /** Mean durations of small batches of queries. */
  milliseconds: number[];
  ids: string[][];
  timings: Record<string, number>;
}

export interface Upkeep {
  /** Duration of each query during the upkeep. */
  milliseconds: number[];
  /** Seconds from the first query to the end of the upkeep. */
  seconds: number;
}

export interface ShardFigures {
  chunks: number;
  bytes: number;
}

/** The managed index in its own runtime. Its data is in a temporary folder. */
export class ManagedIndex {
  readonly #folder = mkdtempSync(join(tmpdir(), 'sluice-bench-'));
  readonly #config: URL;
  #worker: Awaited<ReturnType<typeof unstable_startWorker>> | undefined;

  /** Uses the configuration of the Worker that drives the measurement. */
  constructor(config = new URL('wrangler.toml', import.meta.url)) {
    this.#config = config;
  }

  /** Starts the runtime with `vars` in addition to the variables of the configuration. */
  async start(vars: Record<string, string> = {}): Promise<void> {
    // Same settings as in scripts/wrangler.ts: no tracing of statements, and no network.
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

  /** Copies the content of one shard to other existing shards. */
  async copy(from: string, to: string[], vars?: Record<string, string>): Promise<void> {
    const [source, ...targets] = await this.call<string[]>(`/ids?shards=${[from, ...to]}`);
    await this.#worker?.dispose();
    const files = readdirSync(this.#folder, { recursive: true, encoding: 'utf8' });
    const findFile = (id: string) => join(this.#folder, files.find((file) => file.endsWith(`${id}.sqlite`))!);
    for (const target of targets) {
      for (const end of ['', '-wal', '-shm']) {
        rmSync(`${findFile(target)}${end}`, { force: true });
        if (existsSync(`${findFile(source!)}${end}`)) {
          copyFileSync(`${findFile(source!)}${end}`, `${findFile(target)}${end}`);
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

  /** Waits until no alarm of the shards is due. */
  async settle(shards: string): Promise<void> {
    while (!(await this.call<boolean>(`/settled?shards=${shards}`)))
      await new Promise((done) => setTimeout(done, 500));
  }

  /** Returns the resident memory of the runtime in bytes. */
  memory(): number {
    return runtimes().reduce((sum, pid) => sum + residentBytes(pid), 0);
  }
}

/** Returns the ids of the runtime processes started by this process. Needs /proc. */
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
