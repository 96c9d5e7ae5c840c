import { type ChildProcess, spawn } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

/** HTTP client of a service. */
export abstract class ServiceClient {
  abstract readonly base: string;
  abstract readonly key: string;

  async call<Body>(method: string, path: string, body?: unknown): Promise<Body> {
    return readBody<Body>(`${method} ${path}`, await this.fetch(method, path, body));
  }

  /** Sends a request. `patience` is the timeout in milliseconds. */
  fetch(method: string, path: string, body?: unknown, patience?: number, key = this.key): Promise<Response> {
    return fetch(this.base + path, {
      method,
      headers: {
        authorization: `Bearer ${key}`,
        ...(body !== undefined && !(body instanceof FormData) && { 'content-type': 'application/json' }),
      },
      ...(body !== undefined && { body: body instanceof FormData ? body : JSON.stringify(body) }),
      ...(patience !== undefined && { signal: AbortSignal.timeout(patience) }),
    });
  }

  async bytes(path: string): Promise<Uint8Array<ArrayBuffer>> {
    const response = await fetch(this.base + path, { headers: { authorization: `Bearer ${this.key}` } });
    if (!response.ok) throw new Error(`${path}: ${response.status} ${await response.text()}`);
    return new Uint8Array(await response.arrayBuffer());
  }

  async upload(name: string, content: string | Uint8Array<ArrayBuffer>): Promise<string> {
    const form = new FormData();
    form.append('upload_file', new File([content], name));
    return (await this.call<{ id: string }>('POST', '/api/v1/files', form)).id;
  }
}

/** Returns the JSON of a response, or `undefined` if the response is empty. Throws if the request failed. */
export async function readBody<Body>(request: string, response: Response): Promise<Body> {
  const text = await response.text();
  if (!response.ok) throw new Error(`${request}: ${response.status} ${text}`);
  return (text ? JSON.parse(text) : undefined) as Body;
}

/** Location of a service, for another release or an existing state. */
export interface Place {
  /** Checkout folder. */
  folder?: string;
  /** State folder, which is deleted at the end. */
  state?: string;
  /** Start script. Defaults to `npm start`. */
  script?: string;
  /** Path of Node. Defaults to the current Node. */
  node?: string;
  /** Id of the user that runs it. Only the superuser can choose one. */
  user?: number | undefined;
}

/** Service with its own process, port and state, as a user runs it. */
export class Service extends ServiceClient {
  readonly state: string;
  readonly #folder: string;
  readonly #script: string;
  readonly #variables: Record<string, string>;
  readonly #node: string;
  readonly #user: number | undefined;
  #process: ChildProcess | undefined;
  #output: string[] = [];
  base = '';

  /** `variables` are environment variables of `npm start` besides port and state. */
  constructor(
    variables: Record<string, string> = {},
    { folder = '.', state, script = 'server/start.ts', node = process.execPath, user }: Place = {},
  ) {
    super();
    this.#variables = variables;
    this.#folder = folder;
    this.#script = script;
    this.#node = node;
    this.#user = user;
    this.state = state ?? mkdtempSync(join(tmpdir(), 'sluice-'));
  }

  /** The first key, which belongs to the first user. */
  get key(): string {
    return apiKey(this.#folder, this.#variables.SECRETS_FILE);
  }

  /** Process group of the service. */
  get group(): number {
    return this.#process?.pid ?? 0;
  }

  /** Resolves when the service answers. It can be called again after `kill`, because the state is kept. */
  async start(): Promise<void> {
    // Another process may take the free port before the service does.
    for (let attempt = 1; ; attempt += 1) {
      const failure = await this.#tryToStart();
      if (failure === undefined) return;
      await this.kill();
      if (attempt === 3 || !/in use/i.test(failure)) throw new Error(`the service did not start: ${failure}`);
    }
  }

  /** Returns the output if the service does not start. */
  async #tryToStart(): Promise<string | undefined> {
    const port = await freePort();
    this.base = `http://127.0.0.1:${port}`;
    // As `npm start` sets them, so that the allocator returns freed memory.
    const arenas = { MALLOC_ARENA_MAX: '1', MALLOC_MMAP_THRESHOLD_: '131072' };
    const own = { PORT: String(port), STATE_DIR: this.state };
    const environment = { ...arenas, ...process.env, ...this.#variables, ...own };
    const child = spawn(this.#node, [this.#script], {
      env: environment,
      cwd: this.#folder,
      // Starts a process group, so that the runtime is killed too.
      detached: true,
      stdio: ['ignore', 'pipe', 'pipe'],
      ...(this.#user !== undefined && { uid: this.#user, gid: this.#user }),
    });
    this.#process = child;
    const output: string[] = [];
    this.#output = output;
    child.stdout!.on('data', (text) => output.push(String(text)));
    child.stderr!.on('data', (text) => output.push(String(text)));
    // The loop ends when the service is up or has exited.
    while (true) {
      if (output.join('').includes('Sluice is up')) return undefined;
      if (hasEnded(child)) break;
      await sleep(100);
    }
    return output.join('') || 'it said nothing';
  }

  /** Output of the running process. */
  get output(): string {
    return this.#output.join('');
  }

  /** Asks the process to end, as a service manager does, and resolves with its exit code. */
  async terminate(): Promise<number | null> {
    const child = this.#process!;
    if (hasEnded(child)) return child.exitCode;
    const gone = new Promise((resolve) => child.once('exit', resolve));
    process.kill(child.pid!, 'SIGTERM');
    await gone;
    return child.exitCode;
  }

  /** Kills the process group without warning, like a power cut. */
  async kill(): Promise<void> {
    const child = this.#process;
    if (!child?.pid || hasEnded(child)) return;
    const gone = new Promise((resolve) => child.once('exit', resolve));
    process.kill(-child.pid, 'SIGKILL');
    await gone;
  }

  async end(): Promise<void> {
    await this.kill();
    rmSync(this.state, { recursive: true, force: true });
  }
}

/** Returns whether the process exited or was killed. */
const hasEnded = (child: ChildProcess) => child.exitCode !== null || child.signalCode !== null;

export const sleep = (milliseconds: number) => new Promise((resolve) => setTimeout(resolve, milliseconds));

export function apiKey(folder = '.', file = join(folder, '.dev.vars')): string {
  return /BOOTSTRAP_API_KEY="([^"]+)"/.exec(readFileSync(file, 'utf8'))![1]!;
}

export function freePort(): Promise<number> {
  return new Promise((resolve) => {
    const server = createServer().listen(0, '127.0.0.1', () => {
      const { port } = server.address() as { port: number };
      server.close(() => resolve(port));
    });
  });
}
