import { and, eq } from 'drizzle-orm';
import { getBaseName } from '#src/bucket/content-disposition.ts';
import type { MultipartUpload } from '#src/bucket/multipart.ts';
import type { TenantContext } from '#src/context/context.ts';
import { type Directory, directoryFiles, type FileRow, files } from '#src/db/schema/index.ts';
import { Invalid } from '#src/lib/errors.ts';
import { parseField, requireFile, requireIdLength, uploadForm } from '#src/services/files/upload-form.ts';
import { getDirectory } from './directories.ts';
import {
  createFullConflict,
  createTakenConflict,
  type DirectoryEntry,
  insertEntry,
  updateDirectoryFile,
} from './directory-files.ts';
import { displayName, type FileLabels, fileMetadata, MAX_DIRECTORY_FILES, uniqueId } from './input.ts';

/**
 * Stores the file of a multipart form and adds it to the directory. A file with an `external_file_id` of the
 * project keeps its id and gets the new bytes. If the directory contains this file, only its labels change.
 */
export async function uploadToDirectory(
  ctx: TenantContext,
  directoryId: string,
  request: Request,
): Promise<DirectoryEntry> {
  const directory = await getDirectory(ctx, directoryId);
  const owner = { ...ctx, projectId: directory.projectId };
  const { file, fields } = await uploadForm(owner, request, { fileParts: ['upload_file', 'file'] }, (form) =>
    readLabels(owner, directory, form),
  );
  const stored = file!;
  return fields.isKnown
    ? updateDirectoryFile(owner, directory.id, stored.id, fields.labels)
    : insertEntry(owner, directory, stored, fields.labels);
}

/** Reads the labels of a form, and throws before the file is stored if another file has its `unique_id`. */
async function readLabels(ctx: TenantContext, directory: Directory, form: MultipartUpload) {
  requireFile(form, 'upload_file');
  const { external_file_id: externalFileId = '', ...given } = form.fields;
  requireIdLength(externalFileId);
  const labels: FileLabels = {
    display_name: given.display_name ? parseField(displayName, 'display_name', given.display_name) : null,
    unique_id: given.unique_id ? parseField(uniqueId, 'unique_id', given.unique_id) : null,
    metadata: given.metadata ? parseField(fileMetadata, 'metadata', parseJson(given.metadata)) : null,
  };
  const replaced = externalFileId ? await findReplaced(ctx, externalFileId) : undefined;
  const wanted = labels.unique_id || externalFileId || getBaseName(form.file!.name) || form.file!.name;
  const own = eq(directoryFiles.directoryId, directory.id);
  const [taken, known] = await Promise.all([
    ctx.db.query.directoryFiles.findFirst({ where: and(own, eq(directoryFiles.uniqueId, wanted)) }),
    replaced &&
      ctx.db.query.directoryFiles.findFirst({ where: and(own, eq(directoryFiles.fileId, replaced.id)) }),
  ]);
  const isOther = taken && taken.fileId !== replaced?.id;
  if (isOther && (labels.unique_id || !known)) throw createTakenConflict(directory.id, wanted);
  if (!known && (await ctx.db.$count(directoryFiles, own)) >= MAX_DIRECTORY_FILES) throw createFullConflict();
  return { facts: { externalFileId: externalFileId || null }, labels, isKnown: Boolean(known) };
}

/** Returns the uploaded file of the project with the external id. */
const findReplaced = (
  { db, projectId }: TenantContext,
  externalFileId: string,
): Promise<FileRow | undefined> =>
  db.query.files.findFirst({
    where: and(
      eq(files.projectId, projectId),
      eq(files.origin, ''),
      eq(files.externalFileId, externalFileId),
    ),
  });

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    throw Invalid.field(['metadata'], 'Input should be a JSON object', 'json_invalid');
  }
}
