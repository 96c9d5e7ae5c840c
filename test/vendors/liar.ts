import { inject } from 'vitest';
import {
  ELSEWHERE,
  IDLE_LIES,
  LARGE_LIES,
  LIE_HEADER,
  LIE_STATUS_HEADER,
  LIE_TYPE_HEADER,
  type Lie,
  REDIRECT_LIES,
  WIRE_LIES,
} from './lies.ts';
import { hasCursor, markCursors, REWRITES } from './lying-content.ts';
import { SESSION_HEADER } from './protocol.ts';

const realFetch = globalThis.fetch;
const HTML = '<!doctype html><html><body>Somebody else</body></html>';
const isNamed = <Name extends string>(names: readonly Name[], lie: string): lie is Name =>
  (names as readonly string[]).includes(lie);

type Ask = (request: Request) => Promise<Response>;

/** Makes an honest vendor lie, for any protocol. Each test has its own liar. */
export class Liar {
  /** URLs, headers and bodies of requests to the redirect target. */
  readonly sentElsewhere: string[] = [];
  /** Whether an answer differed from the honest one. */
  hasLied = false;
  readonly #lie: Lie;
  /** Honest answers with a next page. The index is the number of the page chain that is built from each. */
  readonly #chains: string[] = [];

  constructor(lie: Lie) {
    this.#lie = lie;
  }

  isElsewhere(request: Request): boolean {
    return new URL(request.url).origin === ELSEWHERE;
  }

  /** Answers a request in place of the vendor. `ask` calls the honest vendor. */
  async answer(request: Request, ask: Ask): Promise<Response> {
    const lie = this.#lie;
    if (this.isElsewhere(request)) return this.#receive(request);
    if (isNamed([...REDIRECT_LIES, ...WIRE_LIES, ...LARGE_LIES], lie)) this.hasLied = true;
    if (isNamed(REDIRECT_LIES, lie)) {
      const location = lie === 'redirects in a circle' ? request.url : `${ELSEWHERE}/page`;
      return new Response(null, { status: 302, headers: { location } });
    }
    if (isNamed([...WIRE_LIES, ...LARGE_LIES], lie))
      return this.#relay(lie, request, await this.#askUnlessIdle(request, ask));
    return this.#rewrite(request, ask);
  }

  #askUnlessIdle(request: Request, ask: Ask): Promise<Response> {
    return IDLE_LIES.includes(this.#lie)
      ? Promise.resolve(Response.json({}))
      : ask(request.clone() as Request);
  }

  async #receive(request: Request): Promise<Response> {
    this.sentElsewhere.push(`${request.url} ${JSON.stringify([...request.headers])} ${await request.text()}`);
    return new Response(HTML, { headers: { 'content-type': 'text/html' } });
  }

  async #relay(lie: string, { signal }: Request, honest: Response): Promise<Response> {
    const headers = {
      [SESSION_HEADER]: 'a lie',
      [LIE_HEADER]: lie,
      [LIE_STATUS_HEADER]: String(honest.status),
      [LIE_TYPE_HEADER]: honest.headers.get('content-type') ?? 'application/octet-stream',
    };
    const body = await honest.arrayBuffer();
    return realFetch(inject('vendors'), { method: 'POST', headers, body, signal });
  }

  async #rewrite(request: Request, ask: Ask): Promise<Response> {
    const copy = request.clone() as Request;
    const sent = `${decodeURIComponent(request.url)} ${await request.text()}`;
    const [, chain, page] = /lie(\d+)x(\d+)q/.exec(sent) ?? [];
    if (chain !== undefined) return this.#page(Number(chain), Number(page));
    const honest = await ask(copy);
    const type = honest.headers.get('content-type') ?? '';
    const bytes = await honest.arrayBuffer();
    const text = new TextDecoder().decode(bytes);
    const { status, headers } = honest;
    if (!honest.ok || !isReadable(text)) return new Response(bytes, { status, headers });
    const rewrite = REWRITES[this.#lie as keyof typeof REWRITES];
    if (rewrite) {
      const told = rewrite(text);
      this.hasLied ||= told !== text;
      return answered(told, type);
    }
    if (!hasCursor(text)) return answered(text, type);
    this.hasLied = true;
    this.#chains.push(text);
    return this.#page(this.#chains.length - 1, 0);
  }

  /** Returns the same page again, with the next cursor of the lie. */
  #page(chain: number, page: number): Response {
    const text = this.#chains[chain]!;
    const next = { 'the same page again': 1, 'two pages in turn': 1 + (page % 2) }[this.#lie as string];
    const type = text.trimStart().startsWith('<') ? 'application/xml' : 'application/json';
    return answered(markCursors(text, `lie${chain}x${next ?? page + 1}q`), type);
  }
}

const isReadable = (text: string): boolean => {
  if (text.trimStart().startsWith('<?xml')) return true;
  try {
    JSON.parse(text);
    return true;
  } catch {
    return false;
  }
};

const answered = (text: string, type: string) =>
  new Response(text, { headers: { 'content-type': type || 'application/xml' } });
