import { desc, eq, sql } from 'drizzle-orm';
import type { Context, TenantContext } from '#src/context/context.ts';
import { isOneOf } from '#src/db/is-one-of.ts';
import { dataSources, files, type Pipeline, pipelineMembers } from '#src/db/schema/index.ts';
import { SERVICE_KEYS } from '#src/ingest/searched-metadata.ts';
import type { Metadata, MetadataValue } from '#src/ports/index-types.ts';
import { PAGE_KEYS } from '#src/search/pages.ts';
import { documentMetadata, fileMetadata } from '#src/services/indexes/node-metadata.ts';
import { getTarget, sourceOf } from './retrieval.ts';

type MetadataType = 'string' | 'number' | 'boolean' | 'list';

type Scalar = string | number | boolean;

/** A longer name is of no use to anybody who picks it from a list. */
const LONGEST_NAME = 256;

const MOST_VALUES = 10;

/** Characters of a value. */
const LONGEST_VALUE = 100;

interface Key {
  types: Set<MetadataType>;
  count: number;
  values: Set<Scalar>;
  isComplete: boolean;
}

/** Counts the keys of documents' metadata (flat), with their types and a few of their values. */
class KeyTally {
  readonly #keys = new Map<string, Key>();
  readonly #tooLong = new Set<string>();

  /** `numbered`: keys of which the document's chunks have a number each. */
  add(metadata: Metadata, numbered: readonly string[]): void {
    for (const [name, value] of Object.entries(metadata)) {
      const key = numbered.includes(name) ? undefined : this.#key(name);
      if (!key || value === null) continue;
      key.count++;
      key.types.add(typeOf(value));
      for (const each of Array.isArray(value) ? value : [value]) addValue(key, each);
    }
    for (const name of numbered) {
      const key = this.#key(name)!;
      key.count++;
      key.types.add('number');
      key.isComplete = false;
    }
  }

  /** How many names are not among the keys, because they are too long. */
  get unnamed(): number {
    return this.#tooLong.size;
  }

  /** Those that most documents have first. */
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

  /** Undefined for names that no filter can have, or nobody would. */
  #key(name: string): Key | undefined {
    if (name.length > LONGEST_NAME) this.#tooLong.add(name);
    if (name === '' || name.length > LONGEST_NAME) return undefined;
    const known = this.#keys.get(name);
    if (known) return known;
    const key: Key = { types: new Set(), count: 0, values: new Set(), isComplete: true };
    this.#keys.set(name, key);
    return key;
  }
}

/** Files and documents that are looked at, and bytes of their metadata: the newest, whatever more there is. */
const MOST_MEMBERS = 2_000;
const MOST_BYTES = 4_000_000;
const MOST_KEYS = 200;

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

/** What filters of a query can name: the metadata of the documents that the pipeline is answered from. */
export async function metadataKeys(ctx: TenantContext, pipelineId: string): Promise<MetadataKeys> {
  const source = sourceOf(await getTarget(ctx, pipelineId));
  const [newest, total] = await Promise.all([
    newestRows(ctx, source.id).limit(MOST_MEMBERS),
    ctx.db.$count(pipelineMembers, eq(pipelineMembers.pipelineId, source.id)),
  ]);
  const rows = await metadataRows(ctx, withinBytes(newest));
  const tally = new KeyTally();
  for (const row of rows) tally.add(metadataOf(source, row), hasPages(row) ? PAGE_KEYS : []);
  const [given, builtIn] = [tally.keys(isGiven), tally.keys((name) => !isGiven(name))];
  const listed = given.slice(0, MOST_KEYS);
  return {
    keys: [
      ...listed.map((key) => ({ ...key, built_in: false })),
      ...builtIn.map((key) => ({ ...key, built_in: true })),
    ],
    more_keys: given.length - listed.length + tally.unnamed,
    sampled: rows.length,
    total,
  };
}

const isGiven = (name: string) => !SERVICE_KEYS.has(name);

/** Newest first, with the bytes that reading a member's metadata takes. */
export function newestRows(ctx: Context, pipelineId: string) {
  const { id, createdAt, metadata, customMetadata, tableMetadata } = pipelineMembers;
  const columns = [metadata, customMetadata, tableMetadata, files.resourceInfo, dataSources.customMetadata];
  const sizes = columns.map((column) => sql`coalesce(octet_length(${column}), 0)`);
  return ctx.db
    .select({ id, bytes: sql<number>`${sql.join(sizes, sql` + `)}` })
    .from(pipelineMembers)
    .leftJoin(files, eq(files.id, pipelineMembers.fileId))
    .leftJoin(dataSources, eq(dataSources.id, pipelineMembers.dataSourceId))
    .where(eq(pipelineMembers.pipelineId, pipelineId))
    .orderBy(desc(createdAt), desc(id))
    .$dynamic();
}

/** At least one of them, however large. */
function withinBytes(rows: { id: string; bytes: number }[]): string[] {
  let bytes = 0;
  const ids: string[] = [];
  for (const row of rows) {
    bytes += row.bytes;
    if (bytes > MOST_BYTES && ids.length > 0) break;
    ids.push(row.id);
  }
  return ids;
}

export function metadataRows(ctx: Context, memberIds: string[]) {
  const { id, name, fileType, fileSize, externalFileId, lastModifiedAt, resourceInfo } = files;
  const { documentId, metadata, customMetadata, tableMetadata, dataSourceId } = pipelineMembers;
  const pages = sql<number>`coalesce(indexed_page_count, json_array_length(page_positions), 0)`;
  return ctx.db
    .select({
      file: { id, name, fileType, fileSize, externalFileId, lastModifiedAt, resourceInfo },
      member: { documentId, metadata, customMetadata, tableMetadata, dataSourceId },
      source: { customMetadata: dataSources.customMetadata },
      pages,
    })
    .from(pipelineMembers)
    .leftJoin(files, eq(files.id, pipelineMembers.fileId))
    .leftJoin(dataSources, eq(dataSources.id, pipelineMembers.dataSourceId))
    .where(isOneOf(pipelineMembers.id, memberIds))
    .$dynamic();
}

type Row = Awaited<ReturnType<typeof metadataRows>>[number];

const hasPages = ({ pages }: Row) => pages > 0;

function metadataOf(pipeline: Pipeline, { file, member, source }: Row): Metadata {
  if (file) return fileMetadata(pipeline, file, member, source);
  return documentMetadata(pipeline, { documentId: member.documentId, metadata: member.metadata ?? {} });
}

function typeOf(value: NonNullable<MetadataValue>): MetadataType {
  if (Array.isArray(value)) return 'list';
  return typeof value as 'string' | 'number' | 'boolean';
}

function addValue(key: Key, value: Scalar): void {
  const shown = typeof value === 'string' ? firstCharacters(value) : value;
  if (shown !== value) key.isComplete = false;
  if (key.values.has(shown)) return;
  if (key.values.size < MOST_VALUES) key.values.add(shown);
  else key.isComplete = false;
}

/** Whole characters: half a surrogate pair is none. */
function firstCharacters(text: string): string {
  if (text.length <= LONGEST_VALUE) return text;
  return [...text.slice(0, 2 * LONGEST_VALUE)].slice(0, LONGEST_VALUE).join('');
}
