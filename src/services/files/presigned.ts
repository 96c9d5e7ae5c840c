import { and, eq } from 'drizzle-orm';
import { z } from 'zod';
import { buildContentDisposition } from '#src/bucket/content-disposition.ts';
import { keys } from '#src/bucket/keys.ts';
import { writeStream } from '#src/bucket/object-writer.ts';
import { DEFAULT_LIFETIME_SECONDS, type PresignedUrl, presign } from '#src/bucket/presigned-url.ts';
import { getS3Credentials, presignObject } from '#src/bucket/r2-signature.ts';
import type { Context, TenantContext } from '#src/context/context.ts';
import { dataSources, type FileRow, files } from '#src/db/schema/index.ts';
import { NotFound, TooLarge } from '#src/lib/errors.ts';
import { newId } from '#src/lib/ids.ts';
import { withoutEffect } from '#src/lib/schema/effect.ts';
import { uuid } from '#src/lib/secrets/uuid.ts';
import { applyAnnouncement, maxFileBytes, receiveContent } from './content.ts';
import { createFile, type FileFacts, MAX_EXTERNAL_ID_CHARACTERS } from './files.ts';
import { folderPath } from './folder-path.ts';
import { replaceTags, tagList } from './tags.ts';

const metadata = z.record(z.string(), z.unknown());

export const newFile = z
  .object({
    name: z.string().min(1).max(3000).describe('File name with its extension.'),
    external_file_id: z.string().min(1).max(MAX_EXTERNAL_ID_CHARACTERS).nullish(),
    file_size: z
      .number()
      .int()
      .min(0)
      .nullish()
      .describe('Size in bytes, if known. A file that is too large is rejected at once.'),
    last_modified_at: z.iso.datetime({ offset: true, local: true }).nullish(),
    resource_info: metadata.nullish(),
    permission_info: metadata.nullish(),
    data_source_id: uuid().nullish(),
    folder: folderPath.nullish().describe('Folder of the file, such as `reports/2026`.'),
    tags: tagList.nullish().describe('Tags of the file.'),
    storage_type: withoutEffect(z.string().nullish(), 'Files are stored until they are deleted.'),
  })
  .meta({ id: 'FileCreate' });

export type NewFile = z.output<typeof newFile>;

/** Scheme and host of the request, with which returned URLs start. */
type Origin = string;

/**
 * Creates a file without content, or reuses the file with the same external id. Returns a URL to which the
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
  const { id } = await createFile(ctx, newFileId, toFileFacts(input), {}, input.file_size ?? 0);
  if (id !== newFileId) await announceContent(ctx, id, input);
  if (input.tags) await replaceTags(ctx, id, input.tags);
  const credentials = getS3Credentials(ctx.settings);
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

/** Returns the file properties that the request contains, except the name, external id and data source. */
function toDescription(input: NewFile) {
  const modified = input.last_modified_at;
  return {
    resourceInfo: input.resource_info ?? undefined,
    permissionInfo: input.permission_info ?? undefined,
    lastModifiedAt: modified ? new Date(modified) : undefined,
    folder: input.folder ?? undefined,
  };
}

function toFileFacts(input: NewFile): FileFacts {
  const { name, external_file_id: externalFileId, data_source_id: dataSourceId } = input;
  return { name, externalFileId, dataSourceId, ...toDescription(input) };
}

/**
 * Announces new content for an existing file. Properties that are not sent stay unchanged. The name changes
 * when the upload arrives.
 */
async function announceContent(ctx: Context, id: string, input: NewFile): Promise<void> {
  const changes = { ...toDescription(input), pendingName: input.name };
  await ctx.db.update(files).set(changes).where(eq(files.id, id));
}

async function requireDataSource(ctx: TenantContext, id: string): Promise<void> {
  const row = await ctx.db.query.dataSources.findFirst({
    where: and(eq(dataSources.id, id), eq(dataSources.projectId, ctx.projectId)),
  });
  if (!row) throw new NotFound('Data source', id);
}

/** Receives the bytes of a presigned upload as a stream. The caller has verified the signature of the URL. */
export async function receiveUpload(ctx: Context, fileId: string, request: Request): Promise<FileRow> {
  const file = await getPresignedFile(ctx, fileId);
  const limit = maxFileBytes(ctx);
  if (Number(request.headers.get('content-length')) > limit) {
    throw new TooLarge(`File size exceeds ${ctx.settings.MAX_FILE_MIB}MB limit.`);
  }
  const key = keys.upload(file.projectId, file.id, newId());
  const written = await writeStream(ctx.bucket, key, request.body ?? new Blob([]).stream(), limit);
  return receiveContent(ctx, file, key, written, applyAnnouncement(request.headers.get('content-type')));
}

/**
 * Returns the file of a presigned URL. No tenant is checked, because the URL's signature replaces an API key.
 */
export async function getPresignedFile(ctx: Context, fileId: string): Promise<FileRow> {
  const file = await ctx.db.query.files.findFirst({ where: eq(files.id, fileId) });
  if (!file) throw new NotFound('File', fileId);
  return file;
}

/** Returns a URL for downloading the file. Throws NotFound if the file has no content. */
export async function createContentUrl(
  ctx: Context,
  origin: Origin,
  file: FileRow,
  lifetime = DEFAULT_LIFETIME_SECONDS,
): Promise<PresignedUrl> {
  if (!file.storageKey) throw new NotFound('Content of file', file.id);
  const credentials = getS3Credentials(ctx.settings);
  if (!credentials)
    return presign(ctx.settings, origin, 'GET', `/presigned/files/${file.id}/content`, lifetime);
  return presignObject(credentials, 'GET', file.storageKey, lifetime, {
    contentType: file.contentType,
    disposition: buildContentDisposition('attachment', file.name),
  });
}

/** Returns a URL for an image that is stored under `key`. `path` is its path below the URL of the file. */
export function createImageUrl(
  ctx: Context,
  origin: Origin,
  file: FileRow,
  path: string,
  key: string,
): Promise<PresignedUrl> {
  const credentials = getS3Credentials(ctx.settings);
  return credentials
    ? presignObject(credentials, 'GET', key, DEFAULT_LIFETIME_SECONDS)
    : presign(ctx.settings, origin, 'GET', `/presigned/files/${file.id}/${path}`);
}
