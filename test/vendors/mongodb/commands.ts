import { Binary, type Document, Long } from 'mongodb';
import { z } from 'zod';
import { aggregate, aggregation } from './aggregate.ts';
import { type Collection, matching, Refused, type SearchIndex } from './collection.ts';

/** Database with the name of one test. */
export interface Database {
  collections: Map<string, Collection>;
  /** Number of listings until a new search index can be queried. */
  building: number;
  /** Number of searches that find the first document only, because search indexes have not caught up. */
  unseen: number;
  /** Kind of search index that has not caught up. If it is undefined, both kinds have not. */
  behind?: SearchIndex['type'] | undefined;
}

/** Optional members of every command. */
const common = {
  $db: z.string(),
  lsid: z.strictObject({ id: z.unknown() }),
  $readPreference: z.strictObject({ mode: z.literal('primaryPreferred') }).optional(),
};
const written = {
  writeConcern: z.strictObject({ w: z.union([z.number(), z.literal('majority')]) }).optional(),
  txnNumber: z.unknown().optional(),
  ordered: z.literal(false),
};
const document = z.record(z.string(), z.unknown());
const dimensions = z.int().min(1).max(8192);
const field = z.discriminatedUnion('type', [
  z.strictObject({
    ...{ type: z.literal('vector'), path: z.string(), numDimensions: dimensions },
    similarity: z.enum(['euclidean', 'cosine', 'dotProduct']),
  }),
  z.strictObject({ type: z.literal('filter'), path: z.string() }),
]);
const mapping = z.discriminatedUnion('type', [
  z.strictObject({ type: z.literal('token') }),
  z.strictObject({
    type: z.literal('string'),
    analyzer: z.enum(['lucene.standard', 'lucene.whitespace']).optional(),
    indexOptions: z.enum(['docs', 'freqs', 'positions', 'offsets']).optional(),
    store: z.boolean().optional(),
  }),
]);
const searchIndex = z.discriminatedUnion('type', [
  z.strictObject({
    ...{ name: z.string().min(1), type: z.literal('vectorSearch') },
    definition: z.strictObject({ fields: z.array(field).min(1) }),
  }),
  z.strictObject({
    ...{ name: z.string().min(1), type: z.literal('search') },
    definition: z.strictObject({
      mappings: z.strictObject({ dynamic: z.boolean(), fields: z.record(z.string(), mapping) }),
    }),
  }),
]);
const update = z.strictObject({
  q: document,
  u: document,
  upsert: z.boolean().optional(),
  multi: z.boolean().optional(),
});
const schemas = {
  create: z.strictObject({ ...common, create: z.string().min(1) }),
  createIndexes: z.strictObject({
    ...{ ...common, createIndexes: z.string() },
    indexes: z.array(z.strictObject({ name: z.string(), key: z.record(z.string(), z.literal(1)) })),
  }),
  createSearchIndexes: z.strictObject({
    ...{ ...common, createSearchIndexes: z.string(), indexes: z.array(searchIndex) },
  }),
  update: z.strictObject({
    ...common,
    ...written,
    update: z.string(),
    updates: z.array(update).min(1).max(100_000),
  }),
  delete: z.strictObject({
    ...{ ...common, ...written, delete: z.string() },
    deletes: z.array(z.strictObject({ q: document, limit: z.literal(0) })).min(1),
  }),
  find: z.strictObject({
    ...{ ...common, find: z.string(), filter: document },
    projection: z.union([
      z.strictObject({ _id: z.literal(1) }),
      z.strictObject({ _id: z.literal(0), record: z.literal(1) }),
    ]),
    sort: z.strictObject({ position: z.literal(1) }).optional(),
    ...{ limit: z.int().min(1).optional(), batchSize: z.int() },
  }),
  aggregate: z.strictObject({ ...common, ...aggregation }),
};
export const isKnownCommand = (name: string): name is keyof typeof schemas => Object.hasOwn(schemas, name);

/** Runs a command. Throws Refused for unknown commands, members and values. */
export function run(name: keyof typeof schemas, command: Document, database: Database): Document {
  const { data, error } = schemas[name].safeParse(command);
  if (error) throw new Refused(40415, 'Location40415', `BSON field of ${name}: ${z.prettifyError(error)}`);
  return RUN[name](data as never, database);
}

type Commands = { [Name in keyof typeof schemas]: z.output<(typeof schemas)[Name]> };
const RUN: { [Name in keyof Commands]: (command: Commands[Name], database: Database) => Document } = {
  create({ create, $db }, { collections }) {
    if (collections.has(create)) {
      throw new Refused(48, 'NamespaceExists', `Collection ${$db}.${create} already exists.`);
    }
    collections.set(create, { documents: new Map(), searchIndexes: new Map() });
    return {};
  },
  createIndexes(command, { collections }) {
    there(collections, command.createIndexes);
    return { numIndexesBefore: 1, numIndexesAfter: 2 };
  },
  createSearchIndexes({ createSearchIndexes, indexes }, { collections, building }) {
    const { searchIndexes } = there(collections, createSearchIndexes);
    for (const { name } of indexes) {
      if (searchIndexes.has(name)) throw new Refused(68, 'IndexAlreadyExists', 'Duplicate Index');
    }
    for (const index of indexes) searchIndexes.set(index.name, { ...index, building } as SearchIndex);
    return { indexesCreated: indexes.map(({ name }) => ({ id: `id of ${name}`, name })) };
  },
  update(command, { collections }) {
    const { documents } = collections.get(command.update) ?? there(collections, command.update);
    let n = 0;
    const upserted: Document[] = [];
    for (const [index, { q, u, upsert = false, multi = false }] of command.updates.entries()) {
      const found = [
        ...(typeof q._id === 'string' ? [documents.get(q._id) ?? []].flat() : documents.values()),
      ]
        .filter(matching(q))
        .slice(0, multi ? undefined : 1);
      n += found.length;
      for (const one of found) documents.set(one._id, changed(one, u, multi));
      if (found.length > 0 || !upsert) continue;
      n += 1;
      upserted.push({ index, _id: q._id });
      documents.set(String(q._id), changed({ _id: q._id }, u, multi));
    }
    return { n, nModified: n - upserted.length, ...(upserted.length > 0 && { upserted }) };
  },
  delete(command, { collections }) {
    const documents = collections.get(command.delete)?.documents ?? new Map<string, Document>();
    const before = documents.size;
    for (const { q } of command.deletes) {
      const passes = matching(q);
      for (const one of documents.values()) if (passes(one)) documents.delete(one._id);
    }
    return { n: before - documents.size };
  },
  find({ find, $db, filter, batchSize, projection, sort, limit }, { collections }) {
    const all = [...(collections.get(find)?.documents.values() ?? [])].filter(matching(filter));
    if (sort) all.sort((one, other) => one.position - other.position);
    const found = all.slice(0, limit);
    if (found.length > batchSize) throw new Refused(237, 'CursorKilled', 'getMore is not known here');
    const firstBatch = found.map(({ _id, record }) => ('record' in projection ? { record } : { _id }));
    return { cursor: { id: Long.ZERO, ns: `${$db}.${find}`, firstBatch } };
  },
  aggregate,
};

function there(collections: Database['collections'], name: string): Collection {
  const found = collections.get(name);
  if (!found) throw new Refused(26, 'NamespaceNotFound', `Collection '${name}' does not exist.`);
  return found;
}

/** Applies a replacement or `$set`. Member names follow the rules of MongoDB 5 and earlier. */
function changed(old: Document, change: Document, multi: boolean): Document {
  const isUpdate = Object.keys(change).some((name) => name.startsWith('$'));
  if (!isUpdate && multi)
    throw new Refused(9, 'FailedToParse', 'multi update is not supported for replacement');
  if (isUpdate && Object.keys(change).join() !== '$set')
    throw new Refused(9, 'FailedToParse', 'unknown modifier');
  checkNames(isUpdate ? change.$set : change);
  return isUpdate ? { ...old, ...change.$set } : { ...change, _id: old._id };
}

function checkNames(value: unknown): void {
  if (typeof value !== 'object' || value === null || value instanceof Binary) return;
  for (const [name, member] of Object.entries(value)) {
    if (name.startsWith('$'))
      throw new Refused(52, 'DollarPrefixedFieldName', `'${name}' is not valid for storage.`);
    checkNames(member);
  }
}
