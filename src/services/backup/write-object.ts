import { z } from 'zod';
import { keys } from '#src/bucket/keys.ts';
import { type WrittenObject, writeStream } from '#src/bucket/object-writer.ts';
import type { TenantContext } from '#src/context/context.ts';
import { Conflict, Invalid } from '#src/lib/errors.ts';
import { fromBase64Url } from '#src/lib/secrets/base64url.ts';
import { requireKey } from './objects.ts';
import { requireOrder } from './orders.ts';

/** Maximum size of an object in bytes. The service stores no larger objects. */
const MAX_BYTES = 64 * 1024 ** 3;

const metadataSchema = z.strictObject({
  contentType: z.string().optional(),
  customMetadata: z.record(z.string(), z.string()),
});

export interface ObjectInput {
  key: string;
  sha256: string;
  metadata?: string | null | undefined;
  /** Number of this part of the object, starting at 1. Absent for a whole object. */
  piece?: number | null | undefined;
  pieces?: number | null | undefined;
}

/**
 * Writes an object of the backup to its key in the bucket. Objects that exceed the request limit are sent in
 * parts. Parts stay in the bucket until the restore ends, so that the last part can be sent again and equal
 * objects can reuse them. Rejects bytes that do not have the given hash.
 */
export async function writeObject(
  ctx: TenantContext,
  restoreId: string,
  input: ObjectInput,
  body: ReadableStream<Uint8Array> | null,
): Promise<{ size: number }> {
  const order = await requireOrder(ctx, restoreId);
  const { key, sha256, piece, pieces } = input;
  requireKey(order.project, key);
  const options = parseOptions(input.metadata);
  const bytes = body ?? new Blob([]).stream();
  if (!piece || !pieces) return { size: (await writeVerified(ctx, key, sha256, bytes, options)).size };
  if (piece > pieces) throw createQueryError('piece', 'must not be greater than pieces');
  const place = (number: number) => keys.restorePiece(restoreId, sha256, number);
  const { size } = await writeStream(ctx.bucket, place(piece), bytes, MAX_BYTES);
  if (piece < pieces) return { size };
  return { size: (await writeVerified(ctx, key, sha256, joinPieces(ctx, pieces, place), options)).size };
}

async function writeVerified(
  ctx: TenantContext,
  key: string,
  sha256: string,
  bytes: AsyncIterable<Uint8Array>,
  options: R2MultipartOptions,
): Promise<WrittenObject> {
  const written = await writeStream(ctx.bucket, key, bytes, MAX_BYTES, options);
  if (written.contentHash === sha256) return written;
  await ctx.bucket.delete(key);
  throw createQueryError('sha256', `the bytes have another hash: ${written.contentHash}`);
}

async function* joinPieces(ctx: TenantContext, pieces: number, place: (number: number) => string) {
  for (let number = 1; number <= pieces; number += 1) {
    const piece = await ctx.bucket.get(place(number));
    if (!piece)
      throw new Conflict(
        `Part ${number} of ${pieces} of the object has not been uploaded. Upload the missing parts, then send the last part again.`,
      );
    yield* piece.body;
  }
}

function parseOptions(metadata: string | null | undefined): R2MultipartOptions {
  if (!metadata) return {};
  const bytes = fromBase64Url(metadata);
  const read = metadataSchema.safeParse(bytes && parseJson(new TextDecoder().decode(bytes)));
  if (!read.success) throw createQueryError('metadata', 'must be the metadata from a list of objects');
  const { contentType, customMetadata } = read.data;
  return { customMetadata, ...(contentType !== undefined && { httpMetadata: { contentType } }) };
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

const createQueryError = (name: string, reason: string) =>
  new Invalid([{ loc: ['query', name], msg: `Value error, ${reason}`, type: 'value_error' }]);
