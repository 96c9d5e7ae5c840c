import { baseName } from '#src/bucket/content-disposition.ts';
import { keys } from '#src/bucket/keys.ts';
import { mediaType } from '#src/bucket/media-type.ts';
import { receiveMultipart } from '#src/bucket/multipart.ts';
import { writeStream } from '#src/bucket/object-writer.ts';
import type { TenantContext } from '#src/context/context.ts';
import type { FileRow } from '#src/db/schema/index.ts';
import { BadRequest, DomainError, Invalid } from '#src/lib/errors.ts';
import { newId } from '#src/lib/ids.ts';
import { maxFileBytes } from './content.ts';
import { storeFile } from './files.ts';

/**
 * Takes in a form whose other fields say where the file belongs, which is known only when it has arrived. `place`
 * gives the tenant to keep it in; when it throws, nothing is kept.
 */
export async function uploadForm<Place extends { ctx: TenantContext }>(
  ctx: TenantContext,
  request: Request,
  part: string,
  place: (fields: Record<string, string>) => Promise<Place>,
): Promise<Place & { file: FileRow }> {
  const fileId = newId();
  const arrived = keys.upload(ctx.projectId, fileId, newId());
  const limit = maxFileBytes(ctx);
  const { file, fields } = await receiveMultipart(ctx.bucket, request, {
    fileParts: [part],
    key: arrived,
    limit,
  });
  if (!file) throw Invalid.field([part], 'Field required', 'missing');
  try {
    if (!file.name) throw new BadRequest('File must have a filename.');
    if (file.size === 0) throw new BadRequest('Uploaded file is empty.');
    const found = await place(fields);
    const key = await keepIn(found.ctx, arrived, fileId, ctx.projectId);
    const facts = {
      name: baseName(file.name) ?? file.name,
      contentType: mediaType(file.contentType) ?? null,
    };
    return { ...found, file: await storeFile(found.ctx, fileId, key, file, facts) };
  } catch (error) {
    // After any other failure a row may speak of the bytes.
    if (error instanceof DomainError) await ctx.bucket.delete(arrived);
    throw error;
  }
}

/** What a project owns is under its own prefix: the key of the bytes there. */
async function keepIn(ctx: TenantContext, arrived: string, fileId: string, from: string): Promise<string> {
  if (ctx.projectId === from) return arrived;
  const key = keys.upload(ctx.projectId, fileId, newId());
  const object = await ctx.bucket.get(arrived);
  await writeStream(ctx.bucket, key, object!.body, maxFileBytes(ctx));
  await ctx.bucket.delete(arrived);
  return key;
}

/** Keeps bytes that a request carried itself as a file. */
export async function keepBytes(
  ctx: TenantContext,
  name: string,
  bytes: Uint8Array,
  contentType: string | null,
): Promise<FileRow> {
  if (bytes.length === 0) throw new BadRequest('The content is empty.');
  const fileId = newId();
  const key = keys.upload(ctx.projectId, fileId, newId());
  const chunks = async function* () {
    yield bytes;
  };
  const written = await writeStream(ctx.bucket, key, chunks(), maxFileBytes(ctx));
  return storeFile(ctx, fileId, key, written, { name, contentType });
}
