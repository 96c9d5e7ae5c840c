import { afterEach, beforeEach, expect, inject, vi } from 'vitest';
import type { LossOrder } from './losses.ts';
import {
  type Fault,
  type Mount,
  SESSION_HEADER,
  type SessionState,
  type Settings,
  URL_HEADER,
} from './protocol.ts';

const realFetch = globalThis.fetch;

/** Vendors of one test on the server of test/vendors/server.ts. */
export class VendorSession {
  readonly #server: string;
  readonly #id: string;

  private constructor(server: string, id: string) {
    this.#server = server;
    this.#id = id;
  }

  static async open(mounts: Mount[], server = inject('vendors')): Promise<VendorSession> {
    const headers = { [SESSION_HEADER]: 'new' };
    const opened = await realFetch(server, { method: 'POST', headers, body: JSON.stringify(mounts) });
    const text = await opened.text();
    if (!opened.ok) throw new Error(text);
    return new VendorSession(server, text);
  }

  /** Plans one fault per request, in order. */
  async fail(...faults: Fault[]): Promise<void> {
    await this.#ask('POST', faults);
  }

  /** Adds settings to the vendors. */
  async hold(held: Record<string, Settings>): Promise<void> {
    await this.#ask('PUT', held);
  }

  /** Makes the vendors lose data. */
  async lose(order: LossOrder): Promise<void> {
    await this.#ask('PATCH', order);
  }

  state(): Promise<SessionState> {
    return this.#ask('GET');
  }

  end(): Promise<SessionState> {
    return this.#ask('DELETE');
  }

  /** Sends every request to the test server. */
  readonly fetch = async (input: RequestInfo | URL, init?: RequestInit): Promise<Response> => {
    const request = new Request(input, init);
    const headers = new Headers(request.headers);
    headers.set(SESSION_HEADER, this.#id);
    headers.set(URL_HEADER, request.url);
    const { method, signal } = request;
    const body = method === 'GET' || method === 'HEAD' ? null : await request.arrayBuffer();
    return realFetch(this.#server, { method, headers, body, signal, redirect: 'manual' });
  };

  async #ask(method: string, body?: unknown): Promise<SessionState> {
    const headers = { [SESSION_HEADER]: this.#id };
    const init = { method, headers, ...(body !== undefined && { body: JSON.stringify(body) }) };
    const answer = await realFetch(`${this.#server}/${this.#id}`, init);
    if (!answer.ok) throw new Error(`the server of the vendors answered ${answer.status}`);
    return answer.json() as Promise<SessionState>;
  }
}

/**
 * Replaces `fetch` for the tests of a describe block. Each test has its own session in `current`. A test
 * fails if the test server made a mistake.
 */
export function useVendors(...mounts: Mount[]): { readonly current: VendorSession } {
  let current: VendorSession;
  beforeEach(async () => {
    current = await VendorSession.open(mounts);
    vi.stubGlobal('fetch', current.fetch);
  });
  afterEach(async () => {
    vi.unstubAllGlobals();
    const { mistakes } = await current.end();
    expect(mistakes).toEqual([]);
  });
  return {
    get current() {
      return current;
    },
  };
}
