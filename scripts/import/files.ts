import { rmSync } from 'node:fs';
import { join } from 'node:path';
import { z } from 'zod';
import { type Content, download, upload } from './contents.ts';
import { messageOf, RequestFailure } from './failures.ts';
import { type Move, type Reading, sifted } from './move.ts';
import { cursorPages } from './pages.ts';
import { withRetries } from './patience.ts';
import { inPool } from './pool.ts';

const PATH = '/api/v1/files';

/** So many files one after another whose server answered nothing useful, and it is left alone until the next run. */
const MOST_IN_VAIN = 16;

const info = z.record(z.string(), z.unknown()).nullish().catch(null);

const file = z.looseObject({
  id: z.string().min(1).transform(bareId),
  name: z.string().min(1),
  external_file_id: z.string().nullish(),
  file_size: z.number().int().nonnegative().nullish(),
  data_source_id: z.string().nullish(),
});
export type SourceFile = z.output<typeof file>;

/** Files of sources come by their sources' syncs, and nobody uploads them. */
export const isUploaded = ({ data_source_id }: { data_source_id?: string | null | undefined }) =>
  !data_source_id;

/** Newer lists write ids with a prefix, the rest of the API without. */
export function bareId(id: string): string {
  return id.replace(/^dfl-/, '');
}

/** The project's uploaded files, as they are listed. */
export async function* listFiles(move: Reading): AsyncGenerator<SourceFile> {
  const query = { project_id: move.fromProject };
  for await (const items of cursorPages(move.from, '/api/v1/beta/files', query)) {
    yield* sifted(move, 'file', file, items).filter(isUploaded);
  }
}

/** Copies files, some at a time, by way of `folder`. One that fails is reported and stops no other. */
export async function copyFiles(
  move: Move,
  folder: string,
  items: Iterable<SourceFile> | AsyncIterable<SourceFile>,
): Promise<void> {
  let inVain = 0;
  await inPool(items, move.concurrency, async (item) => {
    if (move.state.get('file', item.id) !== undefined) {
      move.report.count('files', false);
      return;
    }
    const path = join(folder, crypto.randomUUID());
    try {
      const to = await copyFile(move, item, path);
      move.state.put({ kind: 'file', from: item.id, to });
      move.report.count('files', true);
      inVain = 0;
    } catch (cause) {
      if (!(cause instanceof RequestFailure)) throw cause;
      move.report.fail('file', item.name, messageOf(cause));
      inVain = cause.passing ? inVain + 1 : 0;
      if (inVain >= MOST_IN_VAIN) throw cause;
    } finally {
      rmSync(path, { force: true });
    }
  });
}

async function copyFile(move: Move, item: SourceFile, path: string): Promise<string> {
  const source = await download(
    move.from,
    item.id,
    { project_id: move.fromProject },
    { told: item.file_size ?? undefined, path },
  );
  const externalId = await externalIdFor(move, item);
  const there = await atTarget(move, externalId);
  if (there !== undefined) {
    const content = await contentAtTarget(move, there);
    if (content?.hash === source.hash) return there;
    // Under an id of the source's own it is this file, and unfinished; under a user's it may be anybody's.
    if (content && externalId !== item.id) {
      throw new RequestFailure(
        `the target has another file with the external id ${externalId}, which is kept`,
      );
    }
  }
  const details = await detailsOf(move, item);
  const body = { ...details, name: item.name, external_file_id: externalId, file_size: source.size };
  return withRetries(move.to.patience, () => put(move, body, path, source));
}

/**
 * A file without an external id gets its id at the source as one: the target keeps one file an external id, so that
 * no lost answer and no kill can double it.
 */
async function externalIdFor(move: Move, item: SourceFile): Promise<string> {
  if (!item.external_file_id) return item.id;
  const there = await atTarget(move, item.external_file_id);
  if (there === undefined || !move.state.isTaken('file', there)) return item.external_file_id;
  move.report.note(
    'file',
    item.name,
    `another file has the external id ${item.external_file_id}, too: it got ${item.id}`,
  );
  return item.id;
}

async function atTarget(move: Move, externalId: string): Promise<string | undefined> {
  const page = await move.to.call(z.object({ items: z.array(file) }), 'GET', '/api/v1/beta/files', {
    query: { project_id: move.toProject, external_file_id: externalId },
  });
  return page.items.find(({ external_file_id }) => external_file_id === externalId)?.id;
}

/** Undefined when it has been announced only, and its bytes never came. */
async function contentAtTarget(move: Move, id: string): Promise<Content | undefined> {
  try {
    return await download(move.to, id, { project_id: move.toProject }, {});
  } catch (cause) {
    if (cause instanceof RequestFailure && !cause.passing) return undefined;
    throw cause;
  }
}

/** What lists leave out. */
async function detailsOf(move: Move, item: SourceFile): Promise<object> {
  const schema = z.object({
    last_modified_at: z.string().nullish().catch(null),
    resource_info: info,
    permission_info: info,
  });
  const found = await move.from.call(schema, 'GET', `${PATH}/${encodeURIComponent(item.id)}`, {
    query: { project_id: move.fromProject },
  });
  return Object.fromEntries(Object.entries(found).filter(([, value]) => value != null));
}

/** The same again for the same external id is the same file. */
async function put(move: Move, body: object, path: string, source: Content): Promise<string> {
  const query = { project_id: move.toProject };
  const announced = z.object({ file_id: z.string().min(1), url: z.string() });
  const { file_id, url } = await move.to.call(announced, 'PUT', PATH, { query, body });
  const id = bareId(file_id);
  await upload(move.to, url, path, source.size);
  move.report.bytes += source.size;
  const stored = await move.to.call(file, 'GET', `${PATH}/${encodeURIComponent(id)}`, { query });
  const same =
    stored.file_size === source.size &&
    (!move.verify || (await download(move.to, id, query, { told: source.size })).hash === source.hash);
  if (same) return id;
  throw new RequestFailure('the target has other bytes than the source', { passing: true });
}
