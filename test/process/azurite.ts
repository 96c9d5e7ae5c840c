import { type ChildProcess, spawn } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { containerSignature, signWithSharedKey } from '#test/support/azure-blob-protocol.ts';
import { sleep } from './service.ts';

const MAIN = createRequire(import.meta.url).resolve('azurite/dist/src/blob/main.js');
const STARTING_MS = 5 * 60_000;

/** Azurite, the emulator of Azure Blob Storage, as a process with in-memory storage. */
export class Azurite {
  readonly account = 'accountofthetests';
  readonly key = Buffer.alloc(64, 'a key of the tests').toString('base64');
  /** URL with the account in its path. */
  url = '';
  readonly #folder = mkdtempSync(join(tmpdir(), 'azurite-'));
  #process: ChildProcess | undefined;

  async start(): Promise<void> {
    const options = ['--inMemoryPersistence', '--silent', '--disableTelemetry', '--blobPort', '0'];
    const child = spawn(process.execPath, [MAIN, ...options], {
      cwd: this.#folder,
      env: { ...process.env, AZURITE_ACCOUNTS: `${this.account}:${this.key}` },
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    this.#process = child;
    let output = '';
    for (const stream of [child.stdout, child.stderr]) stream.on('data', (text) => (output += String(text)));
    for (let waited = 0; waited < STARTING_MS && child.exitCode === null; waited += 50) {
      const address = /listens on (http:\/\/\S+)/.exec(output)?.[1];
      if (address) {
        this.url = `${address}/${this.account}`;
        return;
      }
      await sleep(50);
    }
    await this.stop();
    throw new Error(`azurite did not start: ${output}`);
  }

  async stop(): Promise<void> {
    const child = this.#process;
    if (child && child.exitCode === null && child.signalCode === null) {
      const gone = new Promise((resolve) => child.once('exit', resolve));
      child.kill('SIGKILL');
      await gone;
    }
    rmSync(this.#folder, { recursive: true, force: true });
  }

  createContainer(name: string, headers: Record<string, string> = {}): Promise<void> {
    return this.#ask('PUT', `/${name}?restype=container`, headers);
  }

  put(container: string, name: string, text: string, headers: Record<string, string> = {}): Promise<void> {
    const type = { 'x-ms-blob-type': 'BlockBlob', 'content-type': 'text/plain' };
    return this.#ask('PUT', toBlobPath(container, name), { ...type, ...headers }, text);
  }

  snapshot(container: string, name: string): Promise<void> {
    return this.#ask('PUT', `${toBlobPath(container, name)}?comp=snapshot`);
  }

  archive(container: string, name: string): Promise<void> {
    return this.#ask('PUT', `${toBlobPath(container, name)}?comp=tier`, { 'x-ms-access-tier': 'Archive' });
  }

  delete(container: string, name: string): Promise<void> {
    return this.#ask('DELETE', toBlobPath(container, name));
  }

  /** Returns a shared access signature for reading a container. */
  signature(container: string, endsAt = new Date(Date.now() + 3600_000)): string {
    return containerSignature(this.account, this.key, container, endsAt);
  }

  async #ask(method: string, path: string, more: Record<string, string> = {}, text = ''): Promise<void> {
    const url = this.url + path;
    const body = Buffer.from(text);
    const headers = new Headers({
      ...{ 'x-ms-version': '2021-12-02', 'x-ms-date': new Date().toUTCString() },
      ...(body.length > 0 && { 'content-length': String(body.length) }),
      ...more,
    });
    headers.set('authorization', signWithSharedKey({ method, url, headers }, this.account, this.key));
    const answer = await fetch(url, { method, headers, ...(body.length > 0 && { body }) });
    if (!answer.ok) throw new Error(`${method} ${path}: ${answer.status} ${await answer.text()}`);
  }
}

const toBlobPath = (container: string, name: string) =>
  `/${container}/${name.split('/').map(encodeURIComponent).join('/')}`;
