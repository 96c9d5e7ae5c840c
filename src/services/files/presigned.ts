import { and, eq } from 'drizzle-orm';
import { z } from 'zod';
import { contentDisposition } from '#src/bucket/content-disposition.ts';
import { keys } from '#src/bucket/keys.ts';
import { writeStream } from '#src/bucket/object-writer.ts';
import { DEFAULT_LIFETIME_SECONDS, type PresignedUrl, presign } from '#src/bucket/presigned-url.ts';
import { presignObject, s3Credentials } from '#src/bucket/r2-signature.ts';
import type { Context, TenantContext } from '#src/context/context.ts';
import { dataSources, type FileRow, files } from '#src/db/schema/index.ts';
import { NotFound, TooLarge } from '#src/lib/errors.ts';
import { newId } from '#src/lib/ids.ts';
import { withoutEffect } from '#src/lib/schema/effect.ts';
import { uuid } from '#src/lib/secrets/uuid.ts';
import { announced, maxFileBytes, receiveContent } from './content.ts';
import { createFile, type FileFacts, LONGEST_EXTERNAL_ID } from './files.ts';

const metadata = z.record(z.string(), z.unknown());

export const newFile = z
  .object({
    name: z.string().min(1).max(3000).describe('With its extension.'),
    external_file_id: z.string().min(1).max(LONGEST_EXTERNAL_ID).nullish(),
    file_size: z.number().int().min(0).nullish().describe('Bytes, when known; too many are refused at once.'),
    last_modified_at: z.iso.datetime({ offset: true, local: true }).nullish(),
    resource_info: metadata.nullish(),
    permission_info: metadata.nullish(),
    data_source_id: uuid().nullish(),
    storage_type: withoutEffect(z.string().nullish(), 'Files stay until they are deleted.'),
  })
  .meta({ id: 'FileCreate' });

export type NewFile = z.output<typeof newFile>;

/** Origin of the request, on which the returned URLs are based. */
type Origin = string;

/**
 * Creates a file without bytes, or reuses the one with the same external id, and returns a URL to which its
 * bytes are sent with PUT.
 */
export async function createUpload(
  ctx: TenantContext,
  origin: Origin,
  input: NewFile,
  lifetime = DEFAULT_LIFETIME_SECONDS,
): Promise<PresignedUrl & { fileId: string }> {
  if ((input.file_size ?? 0) > maxFileBytes(ctx)) {
    throw new TooLarge(`File size exceeds ${ctx.settings.MAX_FILE_MIB}MB limit.`);
  }
  if (input.data_source_id) await requireDataSource(ctx, input.data_source_id);
  const newFileId = newId();
  const { id } = await createFile(ctx, newFileId, factsOf(input), {}, input.file_size ?? 0);
  if (id !== newFileId) await announce(ctx, id, input);
  const credentials = s3Credentials(ctx.settings);
  if (!credentials) {
    return {
      fileId: id,
      ...(await presign(ctx.settings, origin, 'PUT', `/presigned/files/${id}`, lifetime)),
    };
  }
  const pendingKey = keys.upload(ctx.projectId, id, newId());
  const signed = await presignObject(credentials, 'PUT', pendingKey, lifetime);
  await ctx.db.update(files).set({ pendingKey, pendingUntil: signed.expiresAt }).where(eq(files.id, id));
  return { fileId: id, ...signed };
}

/**
 * Returns the properties that a request states about a file, except its name, external id and data source.
 */
function descriptionOf(input: NewFile) {
  const modified = input.last_modified_at;
  return {
    resourceInfo: input.resource_info ?? undefined,
    permissionInfo: input.permission_info ?? undefined,
    lastModifiedAt: modified ? new Date(modified) : undefined,
  };
}

function factsOf(input: NewFile): FileFacts {
  const { name, external_file_id: externalFileId, data_source_id: dataSourceId } = input;
  return { name, externalFileId, dataSourceId, ...descriptionOf(input) };
}

/**
 * Announces new bytes for an existing file. Properties that are not sent stay, and the name changes when the
 * bytes arrive.
 */
async function announce(ctx: Context, id: string, input: NewFile): Promise<void> {
  const changes = { ...descriptionOf(input), pendingName: input.name };
  await ctx.db.update(files).set(changes).where(eq(files.id, id));
}

async function requireDataSource(ctx: TenantContext, id: string): Promise<void> {
  const row = await ctx.db.query.dataSources.findFirst({
    where: and(eq(dataSources.id, id), eq(dataSources.projectId, ctx.projectId)),
  });
  if (!row) throw new NotFound('Data source', id);
}

/** Receives the bytes of a presigned upload as a stream. The URL has been checked. */
export async function receiveUpload(ctx: Context, fileId: string, request: Request): Promise<FileRow> {
  const file = await presignedFile(ctx, fileId);
  const limit = maxFileBytes(ctx);
  if (Number(request.headers.get('content-length')) > limit) {
    throw new TooLarge(`File size exceeds ${ctx.settings.MAX_FILE_MIB}MB limit.`);
  }
  const key = keys.upload(file.projectId, file.id, newId());
  const written = await writeStream(ctx.bucket, key, request.body ?? new Blob([]).stream(), limit);
  return receiveContent(ctx, file, key, written, announced(request.headers.get('content-type')));
}

/** Returns the file of a presigned URL. The signature replaces an API key. */
export async function presignedFile(ctx: Context, fileId: string): Promise<FileRow> {
  const file = await ctx.db.query.files.findFirst({ where: eq(files.id, fileId) });
  if (!file) throw new NotFound('File', fileId);
  return file;
}

/** Returns a URL that downloads the file. Rejects with NotFound if nothing was uploaded. */
export async function contentUrl(
  ctx: Context,
  origin: Origin,
  file: FileRow,
  lifetime = DEFAULT_LIFETIME_SECONDS,
): Promise<PresignedUrl> {
  if (!file.storageKey) throw new NotFound('Content of file', file.id);
  const credentials = s3Credentials(ctx.settings);
  if (!credentials)
    return presign(ctx.settings, origin, 'GET', `/presigned/files/${file.id}/content`, lifetime);
  return presignObject(credentials, 'GET', file.storageKey, lifetime, {
    contentType: file.contentType,
    disposition: contentDisposition('attachment', file.name),
  });
}

/** Returns a URL of a picture that is stored under `key`. `path` is its path below the file's URL. */
export function imageUrl(
  ctx: Context,
  origin: Origin,
  file: FileRow,
  path: string,
  key: string,
): Promise<PresignedUrl> {
  const credentials = s3Credentials(ctx.settings);
  return credentials
    ? presignObject(credentials, 'GET', key, DEFAULT_LIFETIME_SECONDS)
    : presign(ctx.settings, origin, 'GET', `/presigned/files/${file.id}/${path}`);
}
