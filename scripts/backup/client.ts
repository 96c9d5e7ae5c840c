import { createHash } from 'node:crypto';
import { createWriteStream, openAsBlob } from 'node:fs';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { z } from 'zod';
import { describeMachineFailure } from '../describe-failure.ts';
import { Api, describeCause } from '../import/api.ts';
import { RequestFailure } from '../import/failures.ts';
import { Redactor, toPrintable } from '../import/output.ts';
import { DEFAULT_RETRY_POLICY, retryAfterMs, withRetries } from '../import/retries.ts';
import { base, operatorKey } from '../operator.ts';

/** Maximum number of bytes per request. Cloudflare accepts 100 MB in every plan. */
export const PIECE_BYTES = 64 * 1024 * 1024;
/**
 * Timeout in milliseconds for sending or receiving one piece of an object. It is long enough for a slow
 * connection.
 */
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

/** Client of the backup operations. Each request is retried and may safely be repeated. */
export class Client {
  readonly base = base;
  readonly #key = operatorKey();
  readonly #redactor = new Redactor();
  readonly #api: Api;

  constructor(backupKey: string) {
    this.#redactor.add(this.#key);
    this.#redactor.add(backupKey);
    this.#api = new Api('service', base, this.#key, DEFAULT_RETRY_POLICY, this.#redactor);
  }

  /**
   * Returns the tables of a backup. With `counted`, the service also counts the rows of each table, which
   * reads all rows.
   */
  outline(project: string | null, counted: boolean): Promise<Outline> {
    const parameters = query({ project, counted: String(counted) });
    return this.#api.call(outline, 'GET', '/api/v1/admin/backup', { query: parameters });
  }

  rows(body: { table: string; project: string | null; backup_key: string; page_token: string | null }) {
    return this.#api.call(rowPage, 'POST', '/api/v1/admin/backup/rows', { body });
  }

  objects(parameters: { project: string | null; page_token: string | null; page_size?: number }) {
    return this.#api.call(objectPage, 'GET', '/api/v1/admin/backup/objects', { query: query(parameters) });
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

  /**
   * Downloads an object to a file and returns its size and hash. Returns `undefined` if the object no longer
   * exists.
   */
  async download(objectKey: string, path: string): Promise<{ size: number; sha256: string } | undefined> {
    const search = new URLSearchParams({ key: objectKey });
    return withRetries(DEFAULT_RETRY_POLICY, async () => {
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
        // A retry does not help against a failure of this machine, such as a full disk.
        if (describeMachineFailure(cause)) throw cause;
        throw new RequestFailure(`${toPrintable(objectKey)}: ${describeCause(cause)}`, { isTransient: true });
      });
      if (announced >= 0 && announced !== size) {
        throw new RequestFailure(
          `${toPrintable(objectKey)}: only ${size} of ${announced} bytes were received`,
          {
            isTransient: true,
          },
        );
      }
      return { size, sha256: hash.digest('hex') };
    });
  }

  /** Uploads an object, in several pieces if one request would be too large. */
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
      await withRetries(DEFAULT_RETRY_POLICY, async () => {
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
      throw new RequestFailure(
        `The transfer of an object failed (${init.method ?? 'GET'}): ${describeCause(cause)}`,
        {
          isTransient: true,
        },
      );
    }
  }

  async #requireOk(response: Response, objectKey: string): Promise<void> {
    if (response.ok) return;
    const text = await response.text().catch(() => '');
    const wait = retryAfterMs(response.headers.get('retry-after'));
    const message = toPrintable(this.#redactor.clean(text));
    throw new RequestFailure(`${toPrintable(objectKey)}: ${response.status} ${message}`, {
      status: response.status,
      isTransient: response.status === 429 || response.status >= 500,
      ...(wait !== undefined && { retryAfterMs: wait }),
    });
  }
}

type Query = Record<string, string | number>;

/** Builds query parameters without those that are null or undefined. */
function query(parameters: Record<string, string | number | null | undefined>): Query {
  const entries = Object.entries(parameters).filter(([, value]) => value !== null && value !== undefined);
  return Object.fromEntries(entries) as Query;
}
