import type { z } from 'zod';
import { getBaseName } from '#src/bucket/content-disposition.ts';
import { keys } from '#src/bucket/keys.ts';
import { parseMediaType } from '#src/bucket/media-type.ts';
import { type MultipartUpload, receiveMultipart } from '#src/bucket/multipart.ts';
import { writeStream } from '#src/bucket/object-writer.ts';
import type { TenantContext } from '#src/context/context.ts';
import type { FileRow } from '#src/db/schema/index.ts';
import { BadRequest, DomainError, Invalid } from '#src/lib/errors.ts';
import { newId } from '#src/lib/ids.ts';
import { maxFileBytes } from './content.ts';
import { type FileFacts, MAX_EXTERNAL_ID_CHARACTERS, storeFile } from './files.ts';
import { folderPath } from './folder-path.ts';
import { replaceTags, tagList } from './tags.ts';

/**
 * Stores the file of a multipart upload while it is received. `parts` are the form field names under which
 * the file may be sent.
 */
export async function uploadMultipart(
  ctx: TenantContext,
  request: Request,
  parts: readonly string[],
  given: {
    externalFileId?: string | null;
    purposes?: readonly string[];
    /** Reason why a form field is refused, by the name of the field before its first bracket. */
    refused?: Readonly<Record<string, string>>;
  },
): Promise<FileRow> {
  const { file, fields } = await uploadForm(ctx, request, { fileParts: parts }, (form) => {
    requireFile(form, parts[0]!);
    const { external_file_id, purpose } = form.fields;
    if (given.refused) refuseFields(form, given.refused);
    if (given.purposes) requirePurpose(purpose, given.purposes);
    const externalFileId = given.externalFileId || external_file_id || null;
    requireIdLength(externalFileId);
    const { folder, tags } = readLabels(form);
    return { facts: { externalFileId, purpose: purpose ?? null, folder }, tags };
  });
  if (fields.tags) await replaceTags(ctx, file!.id, fields.tags);
  return file!;
}

/** Reads the fields `folder` and `tags` of a form. Tags are separated by commas, or sent in several fields. */
function readLabels({ fields, values }: MultipartUpload) {
  const tags = values.filter(([name]) => name === 'tags').flatMap(([, value]) => value.split(','));
  return {
    folder: fields.folder === undefined ? undefined : parseField(folderPath, 'folder', fields.folder),
    tags:
      tags.length === 0
        ? undefined
        : parseField(
            tagList,
            'tags',
            tags.filter((each) => each.trim()),
          ),
  };
}

/** Parses a form field. Throws `Invalid` with the first violated rule. */
export function parseField<Output>(schema: z.ZodType<Output>, name: string, value: unknown): Output {
  const { data, error } = schema.safeParse(value);
  if (error) throw Invalid.field([name, ...error.issues[0]!.path.map(String)], error.issues[0]!.message);
  return data;
}

/** Properties of an uploaded file that other form fields contain. */
interface FormFile {
  facts?: Omit<FileFacts, 'name'>;
  /** Tenant for which the file is stored. Defaults to the tenant of the request. */
  ctx?: TenantContext;
}

/**
 * Receives a multipart form and streams its file, if any, into the bucket. `read` interprets the form fields
 * and may return properties of the file. If `read` throws, the file is deleted.
 */
export async function uploadForm<Extra extends object>(
  ctx: TenantContext,
  request: Request,
  options: { fileParts: readonly string[]; parts?: number },
  read: (form: MultipartUpload) => (Extra & FormFile) | Promise<Extra & FormFile>,
): Promise<{ file: FileRow | undefined; fields: Extra }> {
  const fileId = newId();
  const arrived = keys.upload(ctx.projectId, fileId, newId());
  const limit = maxFileBytes(ctx);
  const form = await receiveMultipart(ctx.bucket, request, { ...options, key: arrived, limit });
  try {
    const fields = await read(form);
    if (!form.file) return { file: undefined, fields };
    requireContent(form.file);
    const owner = fields.ctx ?? ctx;
    const key = await moveToOwner(owner, arrived, fileId, ctx.projectId);
    const file = await storeFile(owner, fileId, key, form.file, {
      name: getBaseName(form.file.name) ?? form.file.name,
      contentType: parseMediaType(form.file.contentType),
      ...fields.facts,
    });
    return { file, fields };
  } catch (error) {
    // After an unexpected error the bytes are kept, because a row may already refer to them.
    if (error instanceof DomainError) await ctx.bucket.delete(arrived);
    throw error;
  }
}

/**
 * Throws if the form has no file, or if the file has no name or no content. The error names the form field
 * `part`.
 */
export function requireFile({ file }: MultipartUpload, part: string): void {
  if (!file) throw Invalid.field([part], 'Field required', 'missing');
  requireContent(file);
}

function requireContent({ name, size }: { name: string; size: number }): void {
  if (!name) throw new BadRequest('File must have a filename.');
  if (size === 0) throw new BadRequest('Uploaded file is empty.');
}

/**
 * Throws `Invalid` if the external id is too long. Form fields are not validated by a schema, so the length
 * is checked here.
 */
export function requireIdLength(externalFileId: string | null): void {
  if ((externalFileId?.length ?? 0) <= MAX_EXTERNAL_ID_CHARACTERS) return;
  const msg = `String should have at most ${MAX_EXTERNAL_ID_CHARACTERS} characters`;
  throw Invalid.field(['external_file_id'], msg, 'string_too_long');
}

function refuseFields({ values }: MultipartUpload, refused: Readonly<Record<string, string>>): void {
  for (const [field] of values) {
    const [name = ''] = field.split('[', 1);
    if (Object.hasOwn(refused, name)) throw Invalid.field([name], refused[name]!);
  }
}

function requirePurpose(purpose: string | undefined, allowed: readonly string[]): void {
  if (purpose === undefined) throw Invalid.field(['purpose'], 'Field required', 'missing');
  if (allowed.includes(purpose)) return;
  throw Invalid.field(['purpose'], `Input should be one of: ${allowed.join(', ')}`, 'enum');
}

/** Moves the bytes to the project that owns the file, and returns their new key. */
async function moveToOwner(
  ctx: TenantContext,
  arrived: string,
  fileId: string,
  from: string,
): Promise<string> {
  if (ctx.projectId === from) return arrived;
  const key = keys.upload(ctx.projectId, fileId, newId());
  const object = await ctx.bucket.get(arrived);
  await writeStream(ctx.bucket, key, object!.body, maxFileBytes(ctx));
  await ctx.bucket.delete(arrived);
  return key;
}

/** Stores the bytes in a JSON request as a file. */
export async function storeBytes(
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
