import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';

export interface Call {
  method: string;
  path: string;
  query: URLSearchParams;
  body: Buffer;
  key: string | undefined;
}

/** Overrides the answer to a call. `undefined` keeps the default answer. */
export type Trick = (
  call: Call,
  response: ServerResponse,
  ordinary: () => unknown,
) => unknown | Promise<unknown>;

type Row = Record<string, unknown> & { id: string };

const TABLES = [
  'data-sinks',
  'data-sources',
  'embedding-model-configs',
  'pipelines',
  'retrievers',
  'beta/configurations',
];

/**
 * In-memory server of the compatible API. A `trick` can override answers. Its result is sent as JSON, or it
 * writes the response and returns `SENT`.
 */
export class ScriptedServer {
  readonly tables = new Map<string, Row[]>(TABLES.map((name) => [name, []]));
  readonly files: Row[] = [];
  readonly contents = new Map<string, Buffer>();
  readonly documents = new Map<string, Row[]>();
  readonly members = new Map<string, Row[]>();
  readonly calls: Call[] = [];
  trick: Trick | undefined;
  base = '';
  #server: Server | undefined;
  #next = 1;

  async start(): Promise<this> {
    this.#server = createServer((request, response) => {
      this.#answer(request, response).catch(() => response.destroy());
    });
    await new Promise<void>((resolve) => this.#server!.listen(0, '127.0.0.1', resolve));
    this.base = `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}`;
    return this;
  }

  async stop(): Promise<void> {
    this.#server?.closeAllConnections();
    await new Promise((resolve) => this.#server?.close(resolve));
  }

  /** Returns the requests with this method to paths with this ending. */
  asked(method: string, end: string): Call[] {
    return this.calls.filter((call) => call.method === method && call.path.endsWith(end));
  }

  add(table: string, row: Record<string, unknown>): Row {
    const made = { id: this.#newId(), ...row } as Row;
    this.tables.get(table)!.push(made);
    return made;
  }

  addFile(name: string, content: string, more: Record<string, unknown> = {}): Row {
    const bytes = Buffer.from(content);
    const file = { id: this.#newId(), name, file_size: bytes.length, external_file_id: null, ...more } as Row;
    this.files.push(file);
    this.contents.set(file.id, bytes);
    return file;
  }

  #newId(): string {
    return `00000000-0000-4000-8000-${String(this.#next++).padStart(12, '0')}`;
  }

  async #answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const { pathname, searchParams } = new URL(request.url!, this.base);
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk as Buffer);
    const call: Call = {
      method: request.method!,
      path: decodeURIComponent(pathname),
      query: searchParams,
      body: Buffer.concat(chunks),
      key: request.headers.authorization,
    };
    this.calls.push(call);
    const tricked = await this.trick?.(call, response, () => this.#ordinary(call));
    const answer = tricked === undefined ? this.#ordinary(call) : tricked;
    if (answer === SENT) return;
    if (answer instanceof Buffer) response.end(answer);
    else if (answer === undefined) response.writeHead(404).end('{"detail":"Not found"}');
    else response.setHeader('content-type', 'application/json').end(JSON.stringify(answer));
  }

  #ordinary({ method, path, query, body }: Call): unknown {
    const json = () => JSON.parse(body.toString('utf8'));
    if (path.startsWith('/bytes/')) return this.#bytes(method, path.slice('/bytes/'.length), body);
    const rest = path.replace(/^\/api\/v1\//, '');
    if (rest === 'projects') return [{ id: 'p', name: 'Default', is_default: true }];
    const table = this.tables.get(rest);
    if (table && method === 'POST') return this.add(rest, json());
    if (table) {
      const wanted = query.get('name') ?? query.get('pipeline_name');
      const rows = wanted === null ? table : table.filter(({ name }) => name === wanted);
      return rest === 'beta/configurations' ? { items: rows, next_page_token: null } : rows;
    }
    if (rest === 'beta/files') {
      const external = query.get('external_file_id');
      const found = this.files.filter((file) => !external || file.external_file_id === external);
      return { items: found.map((file) => ({ ...file, id: `dfl-${file.id}` })), next_page_token: null };
    }
    if (rest === 'files' && method === 'PUT') return this.#announce(json());
    const [kind, id, part] = rest.split('/');
    if (kind === 'files' && part === 'content') return { url: `${this.base}/bytes/${id}` };
    if (kind === 'files') return this.files.find((file) => file.id === id);
    if (kind === 'pipelines') return this.#ofPipeline(method, id!, part!, rest, json);
    return undefined;
  }

  #ofPipeline(method: string, id: string, part: string, rest: string, json: () => Row[]): unknown {
    if (part === 'sync') return { id };
    if (part === 'data-sources') return [];
    const rows = part === 'documents' ? this.documents : this.members;
    if (method === 'GET') {
      const all = rows.get(id) ?? [];
      return { [rest.includes('documents') ? 'documents' : 'files']: all, total_count: all.length };
    }
    const known = new Map((rows.get(id) ?? []).map((row) => [row.id ?? row.file_id, row]));
    for (const row of json()) known.set(row.id ?? row.file_id, row);
    rows.set(id, [...known.values()]);
    return [];
  }

  #announce(given: Record<string, unknown>): unknown {
    const known = this.files.find(({ external_file_id }) => external_file_id === given.external_file_id);
    const file = known ?? ({ id: this.#newId(), ...given } as Row);
    if (!known) this.files.push(file);
    return { file_id: file.id, url: `${this.base}/bytes/${file.id}` };
  }

  #bytes(method: string, id: string, body: Buffer): unknown {
    if (method !== 'PUT') return this.contents.get(id);
    this.contents.set(id, body);
    this.files.find((file) => file.id === id)!.file_size = body.length;
    return {};
  }
}

/** Marks that the trick has handled the response. */
export const SENT = Symbol('sent');
