import { vi } from 'vitest';

const realFetch = globalThis.fetch;
/** DNS resolver that the runtime calls through `fetch`. */
const RESOLVER = 'https://cloudflare-dns.com/dns-query';

/** Item in the vendor's system. */
export interface VendorItem {
  id: string;
  /** Folders and file name. */
  path: string;
  bytes: Uint8Array;
  /** Size in listings, which can be invalid. */
  size: number | string;
  modifiedAt: string;
  permissions?: Record<string, unknown>;
}

/** Purpose of a request. `other` includes requests of other tests, because tests share a runtime. */
export type Purpose = 'list' | 'read' | 'token' | 'other';

/** Fault of the next request with a given purpose. */
export type Fault =
  /** Answers with a status and echoes the request in the body. */
  | { kind: 'status'; status: number; headers?: Record<string, string> }
  | { kind: 'body'; body: string; contentType: string }
  | { kind: 'silent' }
  /** Sends half of the body and then nothing. */
  | { kind: 'silent body' }
  /** Sends half of the body and then closes the connection. */
  | { kind: 'cut' };

/** Vendor system with items, recorded requests and planned faults. The fixture implements its protocol. */
export class Vendor {
  readonly items = new Map<string, VendorItem>();
  readonly asked: Purpose[] = [];
  pageSize = 2;
  /** Valid access tokens. */
  readonly tokens = new Set<string>();
  #faults: { purpose: Purpose; fault: Fault }[] = [];

  put(id: string, text: string, more: Partial<VendorItem> = {}): VendorItem {
    const bytes = new TextEncoder().encode(text);
    const item = {
      id,
      path: id,
      bytes,
      size: bytes.length,
      modifiedAt: '2026-03-04T05:06:07.000Z',
      ...more,
    };
    this.items.set(id, item);
    return item;
  }

  next(purpose: Purpose, ...faults: Fault[]): void {
    this.#faults.push(...faults.map((fault) => ({ purpose, fault })));
  }

  get hasPlannedFault(): boolean {
    return this.#faults.length > 0;
  }

  count(purpose: Purpose): number {
    return this.asked.filter((each) => each === purpose).length;
  }

  /** Replaces `fetch`. `answer` implements the vendor without faults. */
  connect(
    classifyRequest: (request: Request) => Purpose,
    answer: (request: Request, vendor: Vendor) => Promise<Response>,
  ): void {
    vi.stubGlobal('fetch', async (input: string | URL | Request, init?: RequestInit) => {
      const request = new Request(input, init);
      if (request.url.startsWith(RESOLVER)) return realFetch(request);
      const purpose = classifyRequest(request);
      this.asked.push(purpose);
      const at = this.#faults.findIndex((each) => each.purpose === purpose);
      const [planned] = at < 0 ? [] : this.#faults.splice(at, 1);
      if (!planned) return answer(request, this);
      return this.#fail(planned.fault, request, () => answer(request, this));
    });
  }

  async #fail(fault: Fault, request: Request, answer: () => Promise<Response>): Promise<Response> {
    if (fault.kind === 'silent') return new Promise(() => {});
    if (fault.kind === 'body') {
      return new Response(fault.body, { headers: { 'content-type': fault.contentType } });
    }
    if (fault.kind === 'status') {
      const seen = `${request.url} ${JSON.stringify([...request.headers])}`;
      return Response.json({ error: { message: `refused ${seen}` } }, fault);
    }
    const response = await answer();
    const bytes = new Uint8Array(await response.arrayBuffer());
    const headers = new Headers(response.headers);
    headers.delete('content-length');
    let isSent = false;
    const body = new ReadableStream<Uint8Array>({
      pull(controller) {
        if (!isSent) controller.enqueue(bytes.slice(0, bytes.length >> 1));
        else if (fault.kind === 'cut') controller.error(new Error('Network connection lost.'));
        else return new Promise(() => {});
        isSent = true;
      },
    });
    return new Response(body, { status: response.status, headers });
  }
}
