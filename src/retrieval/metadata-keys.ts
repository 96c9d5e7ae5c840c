import { desc, eq, sql } from 'drizzle-orm';
import type { Context, TenantContext } from '#src/context/context.ts';
import { isInList } from '#src/db/is-in-list.ts';
import { selectIdsOfBothKinds } from '#src/db/pipeline-members.ts';
import { dataSources, files, type Pipeline, pipelineMembers } from '#src/db/schema/index.ts';
import { SERVICE_KEYS } from '#src/ingest/searched-metadata.ts';
import type { Metadata, MetadataValue } from '#src/ports/index-types.ts';
import { PAGE_KEYS } from '#src/search/pages.ts';
import { buildDocumentMetadata, buildFileMetadata } from '#src/services/indexes/node-metadata.ts';
import { getTarget, requireSource } from './retrieval.ts';

type MetadataType = 'string' | 'number' | 'boolean' | 'list';

type Scalar = string | number | boolean;

/**
 * Maximum length of a metadata key name in characters. Clients choose keys from a list, in which longer names
 * would be useless.
 */
const MAX_NAME_CHARACTERS = 256;

const MAX_VALUES = 10;

const MAX_VALUE_CHARACTERS = 100;

interface Key {
  types: Set<MetadataType>;
  count: number;
  values: Set<Scalar>;
  isComplete: boolean;
}

/** Counts the keys in the metadata of documents, with their types and some of their values. */
class KeyTally {
  readonly #keys = new Map<string, Key>();
  readonly #tooLong = new Set<string>();

  /**
   * Counts the metadata keys of one document and of its chunks. A key counts once for each document. Keys in
   * `pageKeys` have a different number for each chunk, so their values are not collected.
   */
  add(metadata: Metadata, chunks: Metadata[], pageKeys: readonly string[]): void {
    const counted = new Set<string>();
    for (const [name, value] of [metadata, ...chunks].flatMap((each) => Object.entries(each))) {
      const key = pageKeys.includes(name) ? undefined : this.#key(name);
      if (!key || value === null) continue;
      if (!counted.has(name)) key.count++;
      counted.add(name);
      key.types.add(getMetadataType(value));
      for (const each of Array.isArray(value) ? value : [value]) addValue(key, each);
    }
    for (const name of pageKeys) {
      const key = this.#key(name)!;
      key.count++;
      key.types.add('number');
      key.isComplete = false;
    }
  }

  /** Number of metadata keys that are not listed because their names are too long. */
  get tooLongCount(): number {
    return this.#tooLong.size;
  }

  /** Returns the counted metadata keys, the most frequent first. */
  keys(isWanted: (name: string) => boolean) {
    return [...this.#keys]
      .filter(([name]) => isWanted(name))
      .sort(([a, { count: ofA }], [b, { count: ofB }]) => ofB - ofA || (a < b ? -1 : 1))
      .map(([name, { types, count, values, isComplete }]) => ({
        name,
        types: [...types],
        count,
        values: [...values],
        values_complete: isComplete,
      }));
  }

  /**
   * Returns the count for a metadata key. Returns `undefined` if the name is too long or empty. Filters
   * cannot use empty names.
   */
  #key(name: string): Key | undefined {
    if (name.length > MAX_NAME_CHARACTERS) this.#tooLong.add(name);
    if (name === '' || name.length > MAX_NAME_CHARACTERS) return undefined;
    const known = this.#keys.get(name);
    if (known) return known;
    const key: Key = { types: new Set(), count: 0, values: new Set(), isComplete: true };
    this.#keys.set(name, key);
    return key;
  }
}

/**
 * Maximum number of files and documents that are examined, newest first, and maximum size of their metadata
 * in bytes.
 */
const MAX_MEMBERS = 2_000;
const MAX_BYTES = 4_000_000;
const MAX_KEYS = 200;

export interface MetadataKey {
  name: string;
  types: MetadataType[];
  count: number;
  values: (string | number | boolean)[];
  values_complete: boolean;
  built_in: boolean;
}

export interface MetadataKeys {
  keys: MetadataKey[];
  more_keys: number;
  sampled: number;
  total: number;
}

/** Returns the metadata keys that filters can use, for the documents that the pipeline searches. */
export async function listMetadataKeys(ctx: TenantContext, pipelineId: string): Promise<MetadataKeys> {
  const source = requireSource(await getTarget(ctx, pipelineId));
  const [newest, total] = await Promise.all([
    selectNewestMembers(ctx, source.id, MAX_MEMBERS),
    ctx.db.$count(pipelineMembers, eq(pipelineMembers.pipelineId, source.id)),
  ]);
  const rows = await selectMetadata(ctx, takeWithinBytes(newest));
  const tally = new KeyTally();
  for (const row of rows) {
    const chunks = Object.values(row.member.chunkMetadata ?? {});
    tally.add(buildMetadata(source, row), chunks, hasPages(row) ? PAGE_KEYS : []);
  }
  const [given, builtIn] = [tally.keys(isClientKey), tally.keys((name) => !isClientKey(name))];
  const listed = given.slice(0, MAX_KEYS);
  return {
    keys: [
      ...listed.map((key) => ({ ...key, built_in: false })),
      ...builtIn.map((key) => ({ ...key, built_in: true })),
    ],
    more_keys: given.length - listed.length + tally.tooLongCount,
    sampled: rows.length,
    total,
  };
}

const isClientKey = (name: string) => !SERVICE_KEYS.has(name);

/** Selects the newest files and documents of a pipeline, with the size of their metadata in bytes. */
export function selectNewestMembers(ctx: Context, pipelineId: string, limit: number) {
  const { id, createdAt, metadata, customMetadata, tableMetadata, chunkMetadata } = pipelineMembers;
  const own = [metadata, customMetadata, tableMetadata, chunkMetadata];
  const columns = [...own, files.resourceInfo, dataSources.customMetadata];
  const sizes = columns.map((column) => sql`coalesce(octet_length(${column}), 0)`);
  return ctx.db
    .select({ id, bytes: sql<number>`${sql.join(sizes, sql` + `)}` })
    .from(pipelineMembers)
    .leftJoin(files, eq(files.id, pipelineMembers.fileId))
    .leftJoin(dataSources, eq(dataSources.id, pipelineMembers.dataSourceId))
    .where(sql`${id} in (select id from ${selectIdsOfBothKinds(ctx, pipelineId, desc, { limit })})`)
    .orderBy(desc(createdAt), desc(id));
}

/**
 * Returns the ids of the first members whose metadata fits into `MAX_BYTES` together, and at least one id.
 */
function takeWithinBytes(rows: { id: string; bytes: number }[]): string[] {
  let bytes = 0;
  const ids: string[] = [];
  for (const row of rows) {
    bytes += row.bytes;
    if (bytes > MAX_BYTES && ids.length > 0) break;
    ids.push(row.id);
  }
  return ids;
}

export function selectMetadata(ctx: Context, memberIds: string[]) {
  const { id, name, fileType, fileSize, externalFileId, lastModifiedAt, resourceInfo } = files;
  const { documentId, metadata, customMetadata, tableMetadata, chunkMetadata, dataSourceId } =
    pipelineMembers;
  const pages = sql<number>`coalesce(indexed_page_count, json_array_length(page_positions), 0)`;
  return ctx.db
    .select({
      file: { id, name, fileType, fileSize, externalFileId, lastModifiedAt, resourceInfo },
      member: { documentId, metadata, customMetadata, tableMetadata, chunkMetadata, dataSourceId },
      source: { customMetadata: dataSources.customMetadata },
      pages,
    })
    .from(pipelineMembers)
    .leftJoin(files, eq(files.id, pipelineMembers.fileId))
    .leftJoin(dataSources, eq(dataSources.id, pipelineMembers.dataSourceId))
    .where(isInList(pipelineMembers.id, memberIds))
    .$dynamic();
}

type Row = Awaited<ReturnType<typeof selectMetadata>>[number];

const hasPages = ({ pages }: Row) => pages > 0;

function buildMetadata(pipeline: Pipeline, { file, member, source }: Row): Metadata {
  if (file) return buildFileMetadata(pipeline, file, member, source);
  return buildDocumentMetadata(pipeline, { documentId: member.documentId, metadata: member.metadata ?? {} });
}

function getMetadataType(value: NonNullable<MetadataValue>): MetadataType {
  if (Array.isArray(value)) return 'list';
  return typeof value as 'string' | 'number' | 'boolean';
}

function addValue(key: Key, value: Scalar): void {
  const shown = typeof value === 'string' ? truncateValue(value) : value;
  if (shown !== value) key.isComplete = false;
  if (key.values.has(shown)) return;
  if (key.values.size < MAX_VALUES) key.values.add(shown);
  else key.isComplete = false;
}

/** Truncates a text to whole characters, so that surrogate pairs are not divided. */
function truncateValue(text: string): string {
  if (text.length <= MAX_VALUE_CHARACTERS) return text;
  return [...text.slice(0, 2 * MAX_VALUE_CHARACTERS)].slice(0, MAX_VALUE_CHARACTERS).join('');
}
