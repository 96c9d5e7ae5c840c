import { baseName } from '#src/bucket/content-disposition.ts';
import { keys } from '#src/bucket/keys.ts';
import { mediaType } from '#src/bucket/media-type.ts';
import { type MultipartUpload, receiveMultipart } from '#src/bucket/multipart.ts';
import { writeStream } from '#src/bucket/object-writer.ts';
import type { TenantContext } from '#src/context/context.ts';
import type { FileRow } from '#src/db/schema/index.ts';
import { BadRequest, DomainError, Invalid } from '#src/lib/errors.ts';
import { newId } from '#src/lib/ids.ts';
import { maxFileBytes } from './content.ts';
import { type FileFacts, LONGEST_EXTERNAL_ID, storeFile } from './files.ts';

/** Stores the file of a multipart upload while it arrives. `parts` are the names that the file may have in the form. */
export async function uploadMultipart(
  ctx: TenantContext,
  request: Request,
  parts: readonly string[],
  given: { externalFileId?: string | null; purposes?: readonly string[] },
): Promise<FileRow> {
  const { file } = await uploadForm(ctx, request, { fileParts: parts }, (form) => {
    requireFile(form, parts[0]!);
    const { external_file_id, purpose } = form.fields;
    if (given.purposes) requirePurpose(purpose, given.purposes);
    const externalFileId = given.externalFileId || external_file_id || null;
    requireIdLength(externalFileId);
    return { facts: { externalFileId, purpose: purpose ?? null } };
  });
  return file!;
}

/** Properties of a file that come from form fields. */
interface FormFile {
  facts?: Omit<FileFacts, 'name'>;
  /** The tenant that the file is stored for; the tenant of the request if absent. */
  ctx?: TenantContext;
}

/**
 * Receives a multipart form as a stream, with its file if there is one. `read` interprets the fields and may
 * add properties of the file. If it rejects, nothing is stored.
 */
export async function uploadForm<Said extends object>(
  ctx: TenantContext,
  request: Request,
  options: { fileParts: readonly string[]; parts?: number },
  read: (form: MultipartUpload) => (Said & FormFile) | Promise<Said & FormFile>,
): Promise<{ file: FileRow | undefined; said: Said }> {
  const fileId = newId();
  const arrived = keys.upload(ctx.projectId, fileId, newId());
  const limit = maxFileBytes(ctx);
  const form = await receiveMultipart(ctx.bucket, request, { ...options, key: arrived, limit });
  try {
    const said = await read(form);
    if (!form.file) return { file: undefined, said };
    requireContent(form.file);
    const owner = said.ctx ?? ctx;
    const key = await keepIn(owner, arrived, fileId, ctx.projectId);
    const file = await storeFile(owner, fileId, key, form.file, {
      name: baseName(form.file.name) ?? form.file.name,
      contentType: mediaType(form.file.contentType),
      ...said.facts,
    });
    return { file, said };
  } catch (error) {
    // After any other error a row may refer to the bytes.
    if (error instanceof DomainError) await ctx.bucket.delete(arrived);
    throw error;
  }
}

/** Throws if the form has no file, or if its file has no name or no bytes. `part` names the missing part. */
export function requireFile({ file }: MultipartUpload, part: string): void {
  if (!file) throw Invalid.field([part], 'Field required', 'missing');
  requireContent(file);
}

function requireContent({ name, size }: { name: string; size: number }): void {
  if (!name) throw new BadRequest('File must have a filename.');
  if (size === 0) throw new BadRequest('Uploaded file is empty.');
}

/** Checks the form field, which no schema checks. */
function requireIdLength(externalFileId: string | null): void {
  if ((externalFileId?.length ?? 0) <= LONGEST_EXTERNAL_ID) return;
  const msg = `String should have at most ${LONGEST_EXTERNAL_ID} characters`;
  throw Invalid.field(['external_file_id'], msg, 'string_too_long');
}

function requirePurpose(purpose: string | undefined, allowed: readonly string[]): void {
  if (purpose === undefined) throw Invalid.field(['purpose'], 'Field required', 'missing');
  if (allowed.includes(purpose)) return;
  throw Invalid.field(['purpose'], `Input should be one of: ${allowed.join(', ')}`, 'enum');
}

/** Moves the bytes under the prefix of the project that owns them, and returns their key. */
async function keepIn(ctx: TenantContext, arrived: string, fileId: string, from: string): Promise<string> {
  if (ctx.projectId === from) return arrived;
  const key = keys.upload(ctx.projectId, fileId, newId());
  const object = await ctx.bucket.get(arrived);
  await writeStream(ctx.bucket, key, object!.body, maxFileBytes(ctx));
  await ctx.bucket.delete(arrived);
  return key;
}

/** Stores bytes that a JSON request contains as a file. */
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
