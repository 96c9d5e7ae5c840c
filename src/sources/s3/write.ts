import { toHex } from '#src/lib/secrets/hash.ts';
import { SourceError } from '#src/ports/source.ts';
import type { UpstreamHttp } from '#src/upstream/http.ts';
import { readErrorCode } from './listing.ts';

/**
 * Size in bytes of one part of an upload. S3 requires at least 5 MiB for every part except the last. One part
 * at a time is kept in memory.
 */
const PART_BYTES = 8 * 1024 * 1024;

export interface ObjectRequest {
  method: 'GET' | 'PUT' | 'POST' | 'DELETE';
  query?: Record<string, string>;
  headers?: Record<string, string>;
  body?: Uint8Array;
}

/** Sends a request about the object that is being written. Rejects if the store refuses the request. */
export type SendRequest = (sent: ObjectRequest) => Promise<Response>;

/**
 * Writes an object of unknown length and resolves with its size in bytes. A small object takes one request. A
 * larger object takes a multipart upload, which is aborted on failure.
 */
export async function writeObject(
  http: UpstreamHttp,
  send: SendRequest,
  content: AsyncIterable<Uint8Array>,
  contentType: string,
): Promise<number> {
  const headers = { 'content-type': contentType };
  let upload: Upload | undefined;
  let size = 0;
  const part = new Part();
  try {
    for await (const chunk of content) {
      size += chunk.byteLength;
      for (let rest = part.take(chunk); rest.byteLength > 0; rest = part.take(rest)) {
        upload ??= await startUpload(http, send, headers);
        await upload.part(part.bytes());
        part.clear();
      }
    }
    if (!upload) {
      await discardBody(await send({ method: 'PUT', headers, body: part.bytes() }));
      return size;
    }
    await upload.part(part.bytes());
    await upload.complete();
    return size;
  } catch (error) {
    // The first failure is reported, even if aborting the upload fails too. The store then removes the
    // uploaded parts after some time.
    await upload?.abort().catch(() => {});
    throw error;
  }
}

/**
 * Collects chunks until a part can be sent. The buffer grows by doubling, so each byte is copied only a few
 * times.
 */
class Part {
  #grown = new Uint8Array(0);
  #filled = 0;

  /** Adds bytes to the part. Returns the bytes that did not fit. */
  take(chunk: Uint8Array): Uint8Array {
    const taken = chunk.subarray(0, PART_BYTES - this.#filled);
    const needed = this.#filled + taken.byteLength;
    if (needed > this.#grown.byteLength) {
      const buffer = new Uint8Array(Math.min(PART_BYTES, Math.max(needed, 2 * this.#grown.byteLength)));
      buffer.set(this.#grown.subarray(0, this.#filled));
      this.#grown = buffer;
    }
    this.#grown.set(taken, this.#filled);
    this.#filled = needed;
    return chunk.subarray(taken.byteLength);
  }

  bytes(): Uint8Array {
    return this.#grown.subarray(0, this.#filled);
  }

  clear(): void {
    this.#filled = 0;
  }
}

interface Upload {
  part(body: Uint8Array): Promise<void>;
  complete(): Promise<void>;
  abort(): Promise<void>;
}

async function startUpload(
  http: UpstreamHttp,
  send: SendRequest,
  headers: Record<string, string>,
): Promise<Upload> {
  const answerText = await http.text(await send({ method: 'POST', query: { uploads: '' }, headers }));
  const uploadId = /<UploadId>([^<]{1,2000})<\/UploadId>/.exec(answerText)?.[1];
  if (!uploadId) throw new SourceError('The S3 store did not start a multipart upload.', { retryable: true });
  const tags: string[] = [];
  return {
    async part(body) {
      const query = { partNumber: String(tags.length + 1), uploadId };
      const response = await send({ method: 'PUT', query, body });
      tags.push(response.headers.get('etag') ?? '');
      await discardBody(response);
    },
    async complete() {
      const parts = tags.map(
        (tag, at) => `<Part><PartNumber>${at + 1}</PartNumber><ETag>${escapeXml(tag)}</ETag></Part>`,
      );
      const body = new TextEncoder().encode(
        `<CompleteMultipartUpload>${parts.join('')}</CompleteMultipartUpload>`,
      );
      const answer = await http.text(await send({ method: 'POST', query: { uploadId }, body }));
      // S3 sends the status before the upload is complete, so a response with status 200 may still contain an
      // error.
      const code = readErrorCode(answer);
      if (code)
        throw new SourceError(`The S3 store did not complete a multipart upload (${code}).`, {
          retryable: true,
        });
    },
    async abort() {
      await discardBody(await send({ method: 'DELETE', query: { uploadId } }));
    },
  };
}

const ENTITIES: Record<string, string> = { '&': '&amp;', '<': '&lt;', '>': '&gt;' };
const escapeXml = (text: string) => text.replaceAll(/[&<>]/g, (character) => ENTITIES[character]!);

const discardBody = (response: Response) => response.body?.cancel();

export async function sha256(body: Uint8Array): Promise<string> {
  return toHex(await crypto.subtle.digest('SHA-256', body as Uint8Array<ArrayBuffer>));
}
