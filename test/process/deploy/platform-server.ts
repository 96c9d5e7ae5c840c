import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { type Answer, type Call, Refusal, type Route } from './answers.ts';
import { Scripts } from './scripts.ts';
import { Stores } from './stores.ts';

export const ACCOUNT = '0123456789abcdef0123456789abcdef';
export const TOKEN = 'a-token-of-the-tests-with-every-right';

/** What a test may have happen to a call: before it is done, or after, when nobody hears of it. */
export type Trick = (call: Call, done: boolean) => 'break' | undefined;

/**
 * Stands for the platform's API: it knows the calls that a deployment makes, its own and wrangler's, judges their
 * bodies, keeps what they make, and refuses everything else. Where the platform's own order of deletions is not
 * described, it is as strict as can be: nothing goes that something else still hangs on. `/health` answers for the
 * deployed service.
 */
export class PlatformServer {
  stores = new Stores();
  scripts = new Scripts(this.stores);
  accounts = [{ id: ACCOUNT, name: 'Tests' }];
  calls: Call[] = [];
  /** Paths that the token has no right to. */
  denied: RegExp | undefined;
  /** Refused as the platform does where an account's plan has no such thing. */
  notInPlan: { path: RegExp; refusal: Refusal } | undefined;
  trick: Trick | undefined;
  /** A path that is asked for patience the next time. */
  busyOnce: RegExp | undefined;
  /** What is wrong with the service though all is deployed. */
  unwell: string | undefined;
  origin = '';
  readonly #server = createServer((request, response) => {
    this.#answer(request, response).catch((cause: unknown) => {
      // A mistake of this server must not look like one of the deployment.
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
  }

  /** An account with nothing in it. */
  reset(): void {
    this.stores = new Stores();
    this.scripts = new Scripts(this.stores);
    this.accounts = [{ id: ACCOUNT, name: 'Tests' }];
    this.calls = [];
    this.denied = this.notInPlan = this.trick = this.unwell = this.busyOnce = undefined;
  }

  /** Calls that change something. A query of a database only reads when it begins so. */
  get writes(): string[] {
    return this.calls.filter(isWrite).map(({ method, path }) => `${method} ${path}`);
  }

  async #answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const url = new URL(request.url ?? '/', this.origin);
    if (url.pathname === '/health') return this.#health(response);
    const send = (status: number, body: unknown) =>
      void response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body));
    try {
      const call = await callOf(request, url);
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

async function callOf(request: IncomingMessage, url: URL): Promise<Call> {
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

/** The parts that stand for `*`, and for `**` all that is left; undefined where a path is another one. */
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
