import { toHex } from '#src/lib/hash.ts';
import { SourceError } from '#src/sources/source.ts';
import type { UpstreamHttp } from '#src/upstream/http.ts';
import { readErrorCode } from './listing.ts';

/** The protocol wants parts of 5 MiB at least, but for the last one; one at a time is held. */
const PART_BYTES = 8 * 1024 * 1024;

export interface Sent {
  method: 'GET' | 'PUT' | 'POST' | 'DELETE';
  query?: Record<string, string>;
  headers?: Record<string, string>;
  body?: Uint8Array;
}

/** Sends a request for the object and rejects with the refusal where the store refuses it. */
export type Send = (sent: Sent) => Promise<Response>;

/**
 * Writes an object of unknown length: a small one by one request, a larger one in parts, of which nothing is left at
 * the store when one fails. Resolves with its size in bytes.
 */
export async function writeObject(
  http: UpstreamHttp,
  send: Send,
  content: AsyncIterable<Uint8Array>,
  contentType: string,
): Promise<number> {
  const headers = { 'content-type': contentType };
  let upload: Upload | undefined;
  let size = 0;
  let part = new Uint8Array(0);
  try {
    for await (const chunk of content) {
      size += chunk.byteLength;
      part = joined(part, chunk);
      while (part.byteLength > PART_BYTES) {
        upload ??= await startUpload(http, send, headers);
        await upload.part(part.slice(0, PART_BYTES));
        part = part.slice(PART_BYTES);
      }
    }
    if (!upload) {
      await drained(await send({ method: 'PUT', headers, body: part }));
      return size;
    }
    await upload.part(part);
    await upload.complete();
    return size;
  } catch (error) {
    // What went wrong before this is what is told; the store forgets the parts in its own time, too.
    await upload?.abort().catch(() => {});
    throw error;
  }
}

interface Upload {
  part(body: Uint8Array): Promise<void>;
  complete(): Promise<void>;
  abort(): Promise<void>;
}

async function startUpload(http: UpstreamHttp, send: Send, headers: Record<string, string>): Promise<Upload> {
  const said = await http.text(await send({ method: 'POST', query: { uploads: '' }, headers }));
  const uploadId = /<UploadId>([^<]{1,2000})<\/UploadId>/.exec(said)?.[1];
  if (!uploadId) throw new SourceError('The store did not begin an upload.', { retryable: true });
  const tags: string[] = [];
  return {
    async part(body) {
      const query = { partNumber: String(tags.length + 1), uploadId };
      const response = await send({ method: 'PUT', query, body });
      tags.push(response.headers.get('etag') ?? '');
      await drained(response);
    },
    async complete() {
      const parts = tags.map(
        (tag, at) => `<Part><PartNumber>${at + 1}</PartNumber><ETag>${escaped(tag)}</ETag></Part>`,
      );
      const body = new TextEncoder().encode(
        `<CompleteMultipartUpload>${parts.join('')}</CompleteMultipartUpload>`,
      );
      const answer = await http.text(await send({ method: 'POST', query: { uploadId }, body }));
      // The store answers before it is done, so that a failure may come with the status of success.
      const code = readErrorCode(answer);
      if (code) throw new SourceError(`The store did not complete an upload (${code}).`, { retryable: true });
    },
    async abort() {
      await drained(await send({ method: 'DELETE', query: { uploadId } }));
    },
  };
}

const ENTITIES: Record<string, string> = { '&': '&amp;', '<': '&lt;', '>': '&gt;' };
const escaped = (text: string) => text.replaceAll(/[&<>]/g, (character) => ENTITIES[character]!);

const drained = (response: Response) => response.body?.cancel();

function joined(first: Uint8Array<ArrayBuffer>, second: Uint8Array): Uint8Array<ArrayBuffer> {
  const both = new Uint8Array(first.byteLength + second.byteLength);
  both.set(first);
  both.set(second, first.byteLength);
  return both;
}

export async function sha256(body: Uint8Array): Promise<string> {
  return toHex(await crypto.subtle.digest('SHA-256', body as Uint8Array<ArrayBuffer>));
}
