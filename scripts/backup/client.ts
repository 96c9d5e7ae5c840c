import { createHash } from 'node:crypto';
import { createWriteStream, openAsBlob } from 'node:fs';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { z } from 'zod';
import { Api, reasonOf } from '../import/api.ts';
import { RequestFailure } from '../import/failures.ts';
import { PATIENCE, retryAfterMs, withRetries } from '../import/patience.ts';
import { printable, Redactor } from '../import/tell.ts';
import { base, operatorKey } from '../operator.ts';
import { describeMachineFailure } from '../plain-failure.ts';

/** Most bytes of one request: the platform takes 100 MB in every plan. */
export const PIECE_BYTES = 64 * 1024 * 1024;
/** A piece on a slow line. */
const BYTES_MS = 30 * 60_000;

const row = z.record(z.string(), z.union([z.string(), z.number(), z.null()]));
export type Row = z.infer<typeof row>;
const unopened = z.array(z.object({ place: z.string(), message: z.string() }));
const token = z.string().nullish();

const outline = z.object({
  release: z.string(),
  tables: z.array(
    z.object({
      name: z.string().regex(/^[a-z_]+$/),
      columns: z.array(z.string()),
      required: z.array(z.string()),
      rows: z.number().nullable(),
    }),
  ),
  outside: z.array(z.object({ place: z.string(), reference: z.string() })),
  open_syncs: z.number(),
});
export type Outline = z.infer<typeof outline>;

const rowPage = z.object({ rows: z.array(row), unopened, next_page_token: token });
const stored = z.object({
  key: z.string(),
  size: z.number(),
  metadata: z.string().nullish(),
});
export type StoredObject = z.infer<typeof stored>;
const objectPage = z.object({ objects: z.array(stored), next_page_token: token });
const order = z.object({ id: z.string(), resumed: z.boolean() });
const written = z.object({ written: z.number(), left_out: z.array(z.string()), unopened });
const finished = z.object({ syncs: z.number(), jobs: z.number(), next_page_token: token });

/** The operations of backups, asked with patience: each may be repeated. */
export class Client {
  readonly base = base;
  readonly #key = operatorKey();
  readonly #redactor = new Redactor();
  readonly #api: Api;

  constructor(backupKey: string) {
    this.#redactor.add(this.#key);
    this.#redactor.add(backupKey);
    this.#api = new Api('service', base, this.#key, PATIENCE, this.#redactor);
  }

  /** `counted`: with the number of rows, for which all of them are read. */
  outline(project: string | null, counted: boolean): Promise<Outline> {
    const asked = query({ project, counted: String(counted) });
    return this.#api.call(outline, 'GET', '/api/v1/admin/backup', { query: asked });
  }

  rows(body: { table: string; project: string | null; backup_key: string; page_token: string | null }) {
    return this.#api.call(rowPage, 'POST', '/api/v1/admin/backup/rows', { body });
  }

  objects(asked: { project: string | null; page_token: string | null; page_size?: number }) {
    return this.#api.call(objectPage, 'GET', '/api/v1/admin/backup/objects', { query: query(asked) });
  }

  begin(body: { backup_id: string; project: string | null; organization: string | null; hold: boolean }) {
    return this.#api.call(order, 'POST', '/api/v1/admin/restores', { body });
  }

  write(restoreId: string, body: { table: string; backup_key: string; rows: Row[] }) {
    return this.#api.call(written, 'POST', `/api/v1/admin/restores/${restoreId}/rows`, { body });
  }

  finish(restoreId: string, page_token: string | null) {
    const path = `/api/v1/admin/restores/${restoreId}/finish`;
    return this.#api.call(finished, 'POST', path, { body: { page_token } });
  }

  /** Writes the bytes to a file; answers what they are. Undefined: the object is gone. */
  async download(objectKey: string, path: string): Promise<{ size: number; sha256: string } | undefined> {
    const search = new URLSearchParams({ key: objectKey });
    return withRetries(PATIENCE, async () => {
      const response = await this.#send(`/api/v1/admin/backup/object?${search}`, {});
      if (response.status === 404) {
        await response.body?.cancel();
        return undefined;
      }
      await this.#requireOk(response, objectKey);
      const announced = Number(response.headers.get('content-length') ?? -1);
      const hash = createHash('sha256');
      let size = 0;
      const bytes = response.body ? Readable.fromWeb(response.body as never) : Readable.from([]);
      bytes.on('data', (chunk: Buffer) => {
        hash.update(chunk);
        size += chunk.length;
      });
      await pipeline(bytes, createWriteStream(path, { mode: 0o600 })).catch((cause: unknown) => {
        // A full disk does not get better by asking the service again.
        if (describeMachineFailure(cause)) throw cause;
        throw new RequestFailure(`${printable(objectKey)}: ${reasonOf(cause)}`, { passing: true });
      });
      if (announced >= 0 && announced !== size) {
        throw new RequestFailure(`${printable(objectKey)}: ${size} of ${announced} bytes came`, {
          passing: true,
        });
      }
      return { size, sha256: hash.digest('hex') };
    });
  }

  /** In pieces where one request would be too large. */
  async upload(
    restoreId: string,
    object: { key: string; size: number; sha256: string; metadata: string | null },
    path: string,
  ): Promise<void> {
    const blob = await openAsBlob(path);
    const pieces = Math.max(1, Math.ceil(object.size / PIECE_BYTES));
    const { key: objectKey, sha256, metadata } = object;
    for (let piece = 1; piece <= pieces; piece += 1) {
      const part = pieces > 1 ? { piece, pieces } : {};
      const search = new URLSearchParams(
        Object.entries(query({ key: objectKey, sha256, metadata, ...part })).map(([name, value]) => [
          name,
          String(value),
        ]),
      );
      const body = blob.slice((piece - 1) * PIECE_BYTES, piece * PIECE_BYTES);
      await withRetries(PATIENCE, async () => {
        const path = `/api/v1/admin/restores/${restoreId}/object?${search}`;
        const response = await this.#send(path, { method: 'PUT', body });
        await this.#requireOk(response, objectKey);
        await response.body?.cancel();
      });
    }
  }

  async #send(path: string, init: { method?: string; body?: Blob }): Promise<Response> {
    try {
      return await fetch(base + path, {
        ...init,
        redirect: 'manual',
        headers: {
          authorization: `Bearer ${this.#key}`,
          ...(init.body && { 'content-type': 'application/octet-stream' }),
        },
        signal: AbortSignal.timeout(BYTES_MS),
      });
    } catch (cause) {
      throw new RequestFailure(`${init.method ?? 'GET'} of bytes: ${reasonOf(cause)}`, { passing: true });
    }
  }

  async #requireOk(response: Response, objectKey: string): Promise<void> {
    if (response.ok) return;
    const text = await response.text().catch(() => '');
    const wait = retryAfterMs(response.headers.get('retry-after'));
    const said = printable(this.#redactor.clean(text));
    throw new RequestFailure(`${printable(objectKey)}: ${response.status} ${said}`, {
      status: response.status,
      passing: response.status === 429 || response.status >= 500,
      ...(wait !== undefined && { retryAfterMs: wait }),
    });
  }
}

type Query = Record<string, string | number>;

/** What is null is left out. */
function query(asked: Record<string, string | number | null | undefined>): Query {
  const entries = Object.entries(asked).filter(([, value]) => value !== null && value !== undefined);
  return Object.fromEntries(entries) as Query;
}
