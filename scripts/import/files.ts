import { rmSync } from 'node:fs';
import { join } from 'node:path';
import { z } from 'zod';
import { type Content, download, upload } from './contents.ts';
import { type ImportContext, parseItems, type SourceContext } from './context.ts';
import { getMessage, RequestFailure } from './failures.ts';
import { cursorPages } from './pages.ts';
import { runInPool } from './pool.ts';
import { withRetries } from './retries.ts';

const PATH = '/api/v1/files';

/**
 * Maximum number of consecutive files that fail with a transient error. The run then stops copying files, and
 * the next run continues.
 */
const MAX_CONSECUTIVE_FAILURES = 16;

const info = z.record(z.string(), z.unknown()).nullish().catch(null);

const file = z.looseObject({
  id: z.string().min(1).transform(stripIdPrefix),
  name: z.string().min(1),
  external_file_id: z.string().nullish(),
  file_size: z.number().int().nonnegative().nullish(),
  data_source_id: z.string().nullish(),
});
export type SourceFile = z.output<typeof file>;

/**
 * Returns true for uploaded files. Files of data sources are excluded, because the copied data source reads
 * them itself.
 */
export const isUploaded = ({ data_source_id }: { data_source_id?: string | null | undefined }) =>
  !data_source_id;

/** Removes the prefix that newer lists add to ids and that the rest of the API does not use. */
export function stripIdPrefix(id: string): string {
  return id.replace(/^dfl-/, '');
}

export async function* listFiles(context: SourceContext): AsyncGenerator<SourceFile> {
  const query = { project_id: context.fromProject };
  for await (const items of cursorPages(context.from, '/api/v1/beta/files', query)) {
    yield* parseItems(context, 'file', file, items).filter(isUploaded);
  }
}

/**
 * Copies files concurrently, through temporary files in `folder`. A failed file is reported and does not stop
 * the others.
 */
export async function copyFiles(
  context: ImportContext,
  folder: string,
  items: Iterable<SourceFile> | AsyncIterable<SourceFile>,
): Promise<void> {
  let consecutiveFailures = 0;
  await runInPool(items, context.concurrency, async (item) => {
    if (context.state.get('file', item.id) !== undefined) {
      context.report.count('files', false);
      return;
    }
    const path = join(folder, crypto.randomUUID());
    try {
      const to = await copyFile(context, item, path);
      context.state.put({ kind: 'file', from: item.id, to });
      context.report.count('files', true);
      consecutiveFailures = 0;
    } catch (cause) {
      if (!(cause instanceof RequestFailure)) throw cause;
      context.report.fail('file', item.name, getMessage(cause));
      consecutiveFailures = cause.isTransient ? consecutiveFailures + 1 : 0;
      if (consecutiveFailures >= MAX_CONSECUTIVE_FAILURES) throw cause;
    } finally {
      rmSync(path, { force: true });
    }
  });
}

async function copyFile(context: ImportContext, item: SourceFile, path: string): Promise<string> {
  const source = await download(
    context.from,
    item.id,
    { project_id: context.fromProject },
    { expectedSize: item.file_size ?? undefined, path },
  );
  const externalId = await externalIdFor(context, item);
  const existing = await findAtTarget(context, externalId);
  if (existing !== undefined) {
    const content = await readContentAtTarget(context, existing);
    if (content?.hash === source.hash) return existing;
    // If the external id is the file's id at the source, the existing file is an unfinished copy. Otherwise
    // it may be an unrelated file.
    if (content && externalId !== item.id) {
      throw new RequestFailure(
        `the target has another file with the external id ${externalId}, which was not changed`,
      );
    }
  }
  const details = await readFileDetails(context, item);
  const body = { ...details, name: item.name, external_file_id: externalId, file_size: source.size };
  return withRetries(context.to.retryPolicy, () => uploadFile(context, body, path, source));
}

/**
 * Returns the external id for the copy. A file without one gets its id at the source. The target keeps one
 * file per external id, so repeated requests cannot create duplicates.
 */
async function externalIdFor(context: ImportContext, item: SourceFile): Promise<string> {
  if (!item.external_file_id) return item.id;
  const existing = await findAtTarget(context, item.external_file_id);
  if (existing === undefined || !context.state.isCopy('file', existing)) return item.external_file_id;
  context.report.note(
    'file',
    item.name,
    `the external id ${item.external_file_id} belongs to another file, so the copy has the external id ${item.id}`,
  );
  return item.id;
}

async function findAtTarget(context: ImportContext, externalId: string): Promise<string | undefined> {
  const page = await context.to.call(z.object({ items: z.array(file) }), 'GET', '/api/v1/beta/files', {
    query: { project_id: context.toProject, external_file_id: externalId },
  });
  return page.items.find(({ external_file_id }) => external_file_id === externalId)?.id;
}

/** Returns `undefined` if the file was created but its content never arrived. */
async function readContentAtTarget(context: ImportContext, id: string): Promise<Content | undefined> {
  try {
    return await download(context.to, id, { project_id: context.toProject }, {});
  } catch (cause) {
    if (cause instanceof RequestFailure && !cause.isTransient) return undefined;
    throw cause;
  }
}

/** Reads the details of a file that lists of files leave out. */
async function readFileDetails(context: ImportContext, item: SourceFile): Promise<object> {
  const schema = z.object({
    last_modified_at: z.string().nullish().catch(null),
    resource_info: info,
    permission_info: info,
  });
  const found = await context.from.call(schema, 'GET', `${PATH}/${encodeURIComponent(item.id)}`, {
    query: { project_id: context.fromProject },
  });
  return Object.fromEntries(Object.entries(found).filter(([, value]) => value != null));
}

/** Uploads a file. Repeating the call with the same external id replaces the same file. */
async function uploadFile(
  context: ImportContext,
  body: object,
  path: string,
  source: Content,
): Promise<string> {
  const query = { project_id: context.toProject };
  const announced = z.object({ file_id: z.string().min(1), url: z.string() });
  const { file_id, url } = await context.to.call(announced, 'PUT', PATH, { query, body });
  const id = stripIdPrefix(file_id);
  await upload(context.to, url, path, source.size);
  context.report.bytes += source.size;
  const stored = await context.to.call(file, 'GET', `${PATH}/${encodeURIComponent(id)}`, { query });
  const same =
    stored.file_size === source.size &&
    (!context.verify ||
      (await download(context.to, id, query, { expectedSize: source.size })).hash === source.hash);
  if (same) return id;
  throw new RequestFailure('the content at the target differs from the source', { isTransient: true });
}
