import { request } from 'node:http';
import { type Service, sleep } from '#test/process/service.ts';

/** What an attack leaves to look at: the statuses of its requests, and how its work ended. */
export interface Outcome {
  statuses: number[];
  ends: string[];
}

export interface Document {
  name: string;
  bytes: Uint8Array<ArrayBuffer>;
}

/** What is sent is answered by then, on a machine that stalls too. */
const PATIENCE_MS = 120_000;
/** Work has ended by then: the service itself gives none of these documents as long. */
const WORK_MS = 300_000;
/** Bytes of a body on loopback before its end is awaited. */
const PIECE = 256 * 1024;

/** A tenant that means harm. Each of its methods is one way to send something. */
export class Attacker {
  readonly #service: Service;
  readonly #project: string;
  readonly outcome: Outcome = { statuses: [], ends: [] };

  constructor(service: Service, project: string) {
    this.#service = service;
    this.#project = project;
  }

  async send(method: string, path: string, body?: unknown): Promise<unknown> {
    const where = `${path}${path.includes('?') ? '&' : '?'}project_id=${this.#project}`;
    const response = await this.#service.fetch(method, where, body, PATIENCE_MS);
    this.outcome.statuses.push(response.status);
    const text = await response.text();
    return response.headers.get('content-type')?.includes('json') && text ? JSON.parse(text) : text;
  }

  /** The id of what was made; undefined when it was refused. */
  async make(method: string, path: string, body?: unknown): Promise<string | undefined> {
    return ((await this.send(method, path, body)) as { id?: string }).id;
  }

  upload({ name, bytes }: Document): Promise<string | undefined> {
    const form = new FormData();
    form.append('upload_file', new File([bytes], name));
    return this.make('POST', '/api/v1/files', form);
  }

  /** Into a pipeline, and through its sync; others may stand beside it. */
  async index(document: Document, pipeline: object = {}, beside: Document[] = []): Promise<void> {
    const file = await this.upload(document);
    const others = await Promise.all(beside.map((other) => this.upload(other)));
    const id = await this.make('POST', '/api/v1/pipelines', { name: crypto.randomUUID(), ...pipeline });
    if (!file || !id) return;
    const files = [file, ...others].map((file_id) => ({ file_id }));
    await this.send('PUT', `/api/v1/pipelines/${id}/files`, files);
    await this.send('POST', `/api/v1/pipelines/${id}/sync`);
    await this.untilEnded(`/api/v1/pipelines/${id}/status`, /SUCCESS|ERROR|CANCELLED/);
    await this.send('DELETE', `/api/v1/pipelines/${id}`);
  }

  async job(kind: 'extract' | 'classify' | 'parse', document: Document, more: object): Promise<void> {
    const file = await this.upload(document);
    if (!file) return;
    const named = kind === 'parse' ? { file_id: file } : { file_input: file };
    const id = await this.make('POST', `/api/v2/${kind}`, { ...named, ...more });
    if (id) await this.untilEnded(`/api/v2/${kind}/${id}`, /COMPLETED|FAILED|CANCELLED/);
  }

  /** A body without an announced length, sent until the service refuses it. */
  stream(path: string, megabytes: number, headers: Record<string, string>): Promise<void> {
    return this.#raw('POST', path, headers, async (write) => {
      const piece = Buffer.alloc(PIECE, 'a');
      for (let sent = 0; sent < megabytes * 1024 * 1024; sent += PIECE) if (!(await write(piece))) return;
    });
  }

  /** A body that comes a byte a second. */
  trickle(path: string, seconds: number, headers: Record<string, string>): Promise<void> {
    return this.#raw('POST', path, headers, async (write) => {
      for (let sent = 0; sent < seconds; sent += 1) {
        if (!(await write(Buffer.from('{')))) return;
        await sleep(1000);
      }
    });
  }

  get authorization(): string {
    return `Bearer ${this.#service.key}`;
  }

  #raw(
    method: string,
    path: string,
    headers: Record<string, string>,
    fill: (write: (piece: Buffer) => Promise<boolean>) => Promise<void>,
  ): Promise<void> {
    return new Promise((resolve) => {
      let isOver = false;
      const outgoing = request(this.#service.base + path, { method, headers, agent: false });
      const end = (status: number) => {
        if (isOver) return;
        isOver = true;
        this.outcome.statuses.push(status);
        outgoing.destroy();
        resolve();
      };
      outgoing.on('response', (answer) => end(answer.statusCode ?? 0));
      // A connection that ends under a body that is refused takes the answer with it.
      outgoing.on('error', () => end(0));
      const write = (piece: Buffer) =>
        new Promise<boolean>((written) => {
          if (isOver) written(false);
          else outgoing.write(piece, () => written(!isOver));
          outgoing.once('close', () => written(false));
        });
      outgoing.setMaxListeners(0);
      fill(write).then(() => isOver || outgoing.end());
      setTimeout(() => end(0), PATIENCE_MS).unref();
    });
  }

  private async untilEnded(path: string, ended: RegExp): Promise<void> {
    for (const start = Date.now(); Date.now() - start < WORK_MS; await sleep(250)) {
      const { status } = (await this.send('GET', path)) as { status?: string };
      if (status && ended.test(status)) {
        this.outcome.ends.push(status);
        return;
      }
    }
    this.outcome.ends.push('still going');
  }
}
