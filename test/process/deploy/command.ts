import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { resolve } from 'node:path';
import { type PlatformServer, TOKEN } from './platform-server.ts';

export interface Outcome {
  code: number | null;
  out: string;
  err: string;
}

/** Runs deployment commands as processes with access to the test server. */
export class Command {
  readonly #server: PlatformServer;
  readonly #folder: string;
  #child: ChildProcess | undefined;

  constructor(server: PlatformServer, folder: string) {
    this.#server = server;
    this.#folder = folder;
  }

  async run(
    script: string,
    args: readonly string[],
    variables: Record<string, string> = {},
  ): Promise<Outcome> {
    const { CLOUDFLARE_ACCOUNT_ID: _, ...environment } = process.env;
    const child = spawn(process.execPath, [resolve(script), ...args], {
      cwd: this.#folder,
      env: {
        ...environment,
        CLOUDFLARE_API_BASE_URL: this.#server.base,
        CLOUDFLARE_API_TOKEN: TOKEN,
        ...variables,
      },
      stdio: ['ignore', 'pipe', 'pipe'],
      // Starts a process group, so that wrangler is killed too.
      detached: true,
    });
    this.#child = child;
    let out = '';
    let err = '';
    child.stdout.setEncoding('utf8').on('data', (text: string) => {
      out += text;
    });
    child.stderr.setEncoding('utf8').on('data', (text: string) => {
      err += text;
    });
    const [code] = (await once(child, 'close')) as [number | null];
    return { code, out, err };
  }

  /** Kills the process group, like a power cut. */
  kill(): void {
    if (this.#child?.pid !== undefined && this.#child.exitCode === null)
      process.kill(-this.#child.pid, 'SIGKILL');
  }
}
