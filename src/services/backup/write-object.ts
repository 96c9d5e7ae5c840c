import { z } from 'zod';
import { keys } from '#src/bucket/keys.ts';
import { type WrittenObject, writeStream } from '#src/bucket/object-writer.ts';
import type { TenantContext } from '#src/context/context.ts';
import { Conflict, Invalid } from '#src/lib/errors.ts';
import { fromBase64Url } from '#src/lib/secrets/base64url.ts';
import { requireKey } from './objects.ts';
import { requireOrder } from './orders.ts';

/** Maximum size of an object. The service stores nothing larger. */
const MOST_BYTES = 64 * 1024 ** 3;

const said = z.strictObject({
  contentType: z.string().optional(),
  customMetadata: z.record(z.string(), z.string()),
});

export interface ObjectInput {
  key: string;
  sha256: string;
  metadata?: string | null | undefined;
  /** Number of this piece, counted from 1. Absent for a whole object. */
  piece?: number | null | undefined;
  pieces?: number | null | undefined;
}

/**
 * Writes an object of the backup to its place. Pieces of an object that exceeds the request limit stay in the
 * bucket until the restore ends, so that an equal object can reuse them and a repeated last piece does no
 * harm. Bytes that do not match the hash are rejected.
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
  const options = optionsOf(input.metadata);
  const bytes = body ?? new Blob([]).stream();
  if (!piece || !pieces) return { size: (await write(ctx, key, sha256, bytes, options)).size };
  if (piece > pieces) throw invalid('piece', 'it has no such piece');
  const place = (number: number) => keys.restorePiece(restoreId, sha256, number);
  const { size } = await writeStream(ctx.bucket, place(piece), bytes, MOST_BYTES);
  if (piece < pieces) return { size };
  return { size: (await write(ctx, key, sha256, joined(ctx, pieces, place), options)).size };
}

async function write(
  ctx: TenantContext,
  key: string,
  sha256: string,
  bytes: AsyncIterable<Uint8Array>,
  options: R2MultipartOptions,
): Promise<WrittenObject> {
  const written = await writeStream(ctx.bucket, key, bytes, MOST_BYTES, options);
  if (written.contentHash === sha256) return written;
  await ctx.bucket.delete(key);
  throw invalid('sha256', `the bytes have another hash, ${written.contentHash}`);
}

async function* joined(ctx: TenantContext, pieces: number, place: (number: number) => string) {
  for (let number = 1; number <= pieces; number += 1) {
    const piece = await ctx.bucket.get(place(number));
    if (!piece) throw new Conflict(`Piece ${number} of ${pieces} has not come yet.`);
    yield* piece.body;
  }
}

function optionsOf(metadata: string | null | undefined): R2MultipartOptions {
  if (!metadata) return {};
  const bytes = fromBase64Url(metadata);
  const read = said.safeParse(bytes && parsed(new TextDecoder().decode(bytes)));
  if (!read.success) throw invalid('metadata', 'it is not what a list of objects says');
  const { contentType, customMetadata } = read.data;
  return { customMetadata, ...(contentType !== undefined && { httpMetadata: { contentType } }) };
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

const invalid = (name: string, reason: string) =>
  new Invalid([{ loc: ['query', name], msg: `Value error, ${reason}`, type: 'value_error' }]);
