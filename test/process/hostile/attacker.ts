import { request } from 'node:http';
import { type Service, sleep } from '#test/process/service.ts';

/** Result of an attack. */
export interface Outcome {
  /** Status of each answer. 0 stands for a connection that ended without an answer. */
  statuses: number[];
  /** Status in which each sync run or job ended, or `STILL_GOING` or `WITHOUT_REASON`. */
  ends: string[];
  /** What the service said about the work that failed. */
  reasons: string[];
}

/** End of work that has not finished after `WORK_MS`. */
export const STILL_GOING = 'still going';
/** End of work that failed without an error message. */
export const WITHOUT_REASON = 'failed without a reason';

interface WorkStatus {
  status?: string;
  error?: { message: string }[] | null;
  error_message?: string | null;
}

export interface Document {
  name: string;
  bytes: Uint8Array<ArrayBuffer>;
}

/** How long a request may take, in milliseconds. Long enough for a machine that is busy with other work. */
const PATIENCE_MS = 120_000;
/** Longest duration of a sync run or job, in milliseconds. A document of 20,000 pages takes minutes on a busy machine. */
const WORK_MS = 600_000;
/** Bytes of a streamed body that are written at once. */
const PIECE = 256 * 1024;

/** A tenant that sends hostile input. Each method sends it in another way and records how it ended. */
export class Attacker {
  readonly #service: Service;
  readonly #project: string;
  readonly outcome: Outcome = { statuses: [], ends: [], reasons: [] };

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

  /** Returns the id of what was created, or `undefined` if the service refused it. */
  async make(method: string, path: string, body?: unknown): Promise<string | undefined> {
    return ((await this.send(method, path, body)) as { id?: string }).id;
  }

  upload({ name, bytes }: Document): Promise<string | undefined> {
    const form = new FormData();
    form.append('upload_file', new File([bytes], name));
    return this.make('POST', '/api/v1/files', form);
  }

  /**
   * Syncs a new pipeline that contains the document, and others if given. Returns the document's file id, or
   * `undefined` if the upload was refused.
   */
  async index(
    document: Document,
    pipeline: object = {},
    beside: Document[] = [],
  ): Promise<string | undefined> {
    const file = await this.upload(document);
    const others = await Promise.all(beside.map((other) => this.upload(other)));
    const id = await this.make('POST', '/api/v1/pipelines', { name: crypto.randomUUID(), ...pipeline });
    if (!file || !id) return file;
    const files = [file, ...others].map((file_id) => ({ file_id }));
    await this.send('PUT', `/api/v1/pipelines/${id}/files`, files);
    await this.send('POST', `/api/v1/pipelines/${id}/sync`);
    await this.untilEnded(`/api/v1/pipelines/${id}/status`, /SUCCESS|ERROR|CANCELLED/);
    await this.send('DELETE', `/api/v1/pipelines/${id}`);
    return file;
  }

  /** Indexes a document with pictures of its pages, and then asks for the picture of its first page. */
  async draw(document: Document): Promise<void> {
    const file = await this.index(document, { parse_parameters: { take_screenshot: true } });
    if (file) await this.send('GET', `/api/v1/files/${file}/page_screenshots/0`);
  }

  async job(kind: 'extract' | 'classify' | 'parse', document: Document, more: object): Promise<void> {
    const file = await this.upload(document);
    if (!file) return;
    const named = kind === 'parse' ? { file_id: file } : { file_input: file };
    const id = await this.make('POST', `/api/v2/${kind}`, { ...named, ...more });
    if (id) await this.untilEnded(`/api/v2/${kind}/${id}`, /COMPLETED|FAILED|CANCELLED/);
  }

  /** Sends a body without a `Content-Length` until all is sent or the service refuses it. */
  stream(path: string, megabytes: number, headers: Record<string, string>): Promise<void> {
    return this.#raw('POST', path, headers, async (write) => {
      const piece = Buffer.alloc(PIECE, 'a');
      for (let sent = 0; sent < megabytes * 1024 * 1024; sent += PIECE) if (!(await write(piece))) return;
    });
  }

  /** Sends a body of one byte a second. */
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
      // If the service refuses a body and closes the connection, the answer may be lost.
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
      const work = (await this.send('GET', path)) as WorkStatus;
      if (work.status && ended.test(work.status)) return this.#recordEnd(work);
    }
    this.outcome.ends.push(STILL_GOING);
  }

  #recordEnd({ status, error, error_message }: WorkStatus): void {
    const reasons = [...(error ?? []).map(({ message }) => message), error_message].filter(Boolean);
    const hasFailed = /ERROR|FAILED|PARTIAL/.test(status!);
    this.outcome.ends.push(hasFailed && reasons.length === 0 ? WITHOUT_REASON : status!);
    this.outcome.reasons.push(...reasons.map(String));
  }
}
