import { mkdtempSync, rmSync } from 'node:fs';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type Answer, type Call, Refusal, type Route } from './answers.ts';
import { Scripts } from './scripts.ts';
import { Stores } from './stores.ts';

export const ACCOUNT = '0123456789abcdef0123456789abcdef';
export const TOKEN = 'a-token-of-the-tests-with-every-right';

/** Interrupts a call before it is executed, or afterwards, before the answer is sent. */
export type Trick = (call: Call, done: boolean) => 'break' | undefined;

export interface AccountContents {
  stores: Stores;
  scripts: Scripts;
}

/**
 * Fake Cloudflare API. It accepts only the calls of a deployment and of wrangler, validates their bodies and
 * stores the results. If the deletion order of Cloudflare is not documented, it is strict: resources in use
 * cannot be deleted. `/health` answers for the deployed service.
 */
export class PlatformServer {
  stores = new Stores();
  scripts = new Scripts(this.stores);
  accounts = [{ id: ACCOUNT, name: 'Tests' }];
  calls: Call[] = [];
  /** Paths for which the token has no permission. */
  denied: RegExp | undefined;
  /** Paths that the account plan does not include. */
  notInPlan: { path: RegExp; refusal: Refusal } | undefined;
  trick: Trick | undefined;
  /** Path that asks to retry later once. */
  busyOnce: RegExp | undefined;
  /** Health problem of the deployed service. */
  unwell: string | undefined;
  origin = '';
  /** Contains databases that were copied. */
  readonly #folder = mkdtempSync(join(tmpdir(), 'sluice-account-'));
  readonly #server = createServer((request, response) => {
    this.#answer(request, response).catch((cause: unknown) => {
      // Prints mistakes of this server, so that they are not mistaken for deployment failures.
      console.error(cause);
      response.destroy();
    });
  });

  async start(): Promise<void> {
    await new Promise<void>((resolve) => this.#server.listen(0, '127.0.0.1', resolve));
    this.origin = `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}`;
  }

  get base(): string {
    return `${this.origin}/client/v4`;
  }

  stop(): void {
    this.#server.closeAllConnections();
    this.#server.close();
    this.stores.close();
    rmSync(this.#folder, { recursive: true, force: true });
  }

  /** Copies the contents of the account, for `reset`. */
  copyAccount(): AccountContents {
    const stores = this.stores.copy(this.#folder);
    return { stores, scripts: this.scripts.copy(stores) };
  }

  /** Empties the account, or replaces its contents by a copy of these. */
  reset(contents?: AccountContents): void {
    this.stores.close();
    this.stores = contents?.stores.copy(this.#folder) ?? new Stores();
    this.scripts = contents?.scripts.copy(this.stores) ?? new Scripts(this.stores);
    this.accounts = [{ id: ACCOUNT, name: 'Tests' }];
    this.calls = [];
    this.denied = this.notInPlan = this.trick = this.unwell = this.busyOnce = undefined;
  }

  /** Calls that change something. Database queries that start with a read keyword do not count. */
  get writes(): string[] {
    return this.calls.filter(isWrite).map(({ method, path }) => `${method} ${path}`);
  }

  async #answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const url = new URL(request.url ?? '/', this.origin);
    if (url.pathname === '/health') return this.#health(response);
    const send = (status: number, body: unknown) =>
      void response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body));
    try {
      const call = await readCall(request, url);
      this.calls.push(call);
      if (this.trick?.(call, false) === 'break') return void response.destroy();
      const answer = await this.#result(call, request.headers.authorization);
      if (this.trick?.(call, true) === 'break') return void response.destroy();
      send(200, { success: true, errors: [], messages: [], ...answer });
    } catch (cause) {
      if (!(cause instanceof Refusal)) throw cause;
      const { status, code, message } = cause;
      send(status, { success: false, errors: [{ code, message }], messages: [], result: null });
    }
  }

  async #result(call: Call, authorization: string | undefined): Promise<Answer> {
    const isUpload = call.path === 'workers/assets/upload';
    const right = isUpload ? this.scripts.uploadToken : TOKEN;
    if (authorization !== `Bearer ${right}`) throw new Refusal(403, 9109, 'Invalid access token');
    if (this.denied?.test(call.path)) throw new Refusal(403, 10000, 'Authentication error');
    if (this.busyOnce?.test(call.path)) {
      this.busyOnce = undefined;
      throw new Refusal(429, 971, 'Please wait and consider throttling your request speed');
    }
    if (isWrite(call) && this.notInPlan?.path.test(call.path)) throw this.notInPlan.refusal;
    const routes: readonly Route[] = [
      ['GET', '/accounts', () => ({ result: this.accounts, result_info: { page: 1, total_pages: 1 } })],
      ...this.stores.routes,
      ...this.scripts.routes,
    ];
    for (const [method, path, handler] of routes) {
      const parameters = method === call.method ? matched(path, call.path) : undefined;
      if (parameters) return handler(call, parameters);
    }
    throw new Refusal(
      404,
      7003,
      `Could not route to ${call.method} ${call.path}, perhaps your object identifier is invalid?`,
    );
  }

  #health(response: ServerResponse): void {
    const error = this.unwell ?? this.scripts.whatIsMissing();
    const checks = { service: { ok: error === undefined, ...(error && { error }) } };
    response.writeHead(error ? 503 : 200, { 'content-type': 'application/json' });
    response.end(JSON.stringify({ status: error ? 'unhealthy' : 'ok', checks }));
  }
}

export const isWrite = ({ method, path, body }: Call): boolean =>
  method !== 'GET' && !(path.endsWith('/query') && /"sql":"\s*SELECT/i.test(JSON.stringify(body)));

async function readCall(request: IncomingMessage, url: URL): Promise<Call> {
  const parts: Buffer[] = [];
  for await (const part of request) parts.push(part as Buffer);
  const bytes = Buffer.concat(parts);
  const type = request.headers['content-type'] ?? '';
  const body = type.startsWith('multipart/form-data')
    ? await new Response(bytes, { headers: { 'content-type': type } }).formData()
    : bytes.length > 0
      ? JSON.parse(bytes.toString())
      : undefined;
  const inAccount = `/client/v4/accounts/${ACCOUNT}/`;
  const path = url.pathname.startsWith(inAccount)
    ? url.pathname.slice(inAccount.length)
    : url.pathname.slice('/client/v4'.length);
  return { method: request.method ?? '', path, query: url.searchParams, body, headers: request.headers };
}

/** Returns the parts of a path that match `*` and `**`, or `undefined` if the path does not match. */
function matched(pattern: string, path: string): string[] | undefined {
  const parts = path.split('/');
  const found: string[] = [];
  for (const [index, wanted] of pattern.split('/').entries()) {
    if (wanted === '**') return [...found, parts.slice(index).map(decodeURIComponent).join('/')];
    if (wanted === '*' && parts[index]) found.push(decodeURIComponent(parts[index]));
    else if (wanted !== parts[index]) return undefined;
  }
  return pattern.split('/').length === parts.length ? found : undefined;
}
