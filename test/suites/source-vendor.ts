import { vi } from 'vitest';

const realFetch = globalThis.fetch;
/** Where the runtime looks names up, through the `fetch` that is there. */
const RESOLVER = 'https://cloudflare-dns.com/dns-query';

/** What a vendor keeps under one id. */
export interface VendorItem {
  id: string;
  /** Folders and name, as people see them. */
  path: string;
  bytes: Uint8Array;
  /** As the vendor writes them into its listings, right or wrong. */
  size: number | string;
  modifiedAt: string;
  permissions?: Record<string, unknown>;
}

/** `other` is also what comes from elsewhere: tests of the service share its runtime, and its late deliveries. */
export type Purpose = 'list' | 'read' | 'token' | 'other';

/** What happens to the next request of a purpose. */
export type Fault =
  /** Answered so, with what came in echoed as some vendors do. */
  | { kind: 'status'; status: number; headers?: Record<string, string> }
  | { kind: 'body'; body: string; contentType: string }
  | { kind: 'silent' }
  /** Half of the body, then nothing more. */
  | { kind: 'silent body' }
  /** Half of the body, then the connection is lost. */
  | { kind: 'cut' };

/** A vendor's system: what it holds, what it was asked, and what is to go wrong. The fixture speaks its protocol. */
export class Vendor {
  readonly items = new Map<string, VendorItem>();
  readonly asked: Purpose[] = [];
  pageSize = 2;
  /** Tokens that it has given and still takes. */
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

  count(purpose: Purpose): number {
    return this.asked.filter((each) => each === purpose).length;
  }

  /** Stands in for the network: `answer` is the vendor as it is when nothing goes wrong. */
  connect(
    purposeOf: (request: Request) => Purpose,
    answer: (request: Request, vendor: Vendor) => Promise<Response>,
  ): void {
    vi.stubGlobal('fetch', async (input: string | URL | Request, init?: RequestInit) => {
      const request = new Request(input, init);
      if (request.url.startsWith(RESOLVER)) return realFetch(request);
      const purpose = purposeOf(request);
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
