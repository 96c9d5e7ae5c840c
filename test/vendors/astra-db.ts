import { checkDocument, cosine, resolveVector } from './astra/documents.ts';
import { compileFilter, type Document, type Indexing } from './astra/filter.ts';
import { Refused } from './astra/refused.ts';
import type { Answer, Behaviour, VendorRequest } from './behaviour.ts';

// In-memory collections with linear search.

interface Options {
  vector?: { dimension: number; metric?: string };
  indexing?: Indexing;
}
interface Collection {
  options: Options;
  documents: Map<unknown, Document>;
}
type Command = Record<string, unknown>;

/** Maximum number of documents that a call deletes, updates or finds by vector. */
const AT_ONCE = 20;
const MOST_FOUND = 1_000;

/** Collection of the samples, which are sent without creating one first. */
const SAMPLE_NAME = 'sample';
const SAMPLE_PARAMS = { keyspace: 'default_keyspace', collection: SAMPLE_NAME };

const buildAstraError = (errorCode: string, message: string) => ({
  errors: [{ message, errorCode, id: 'e', family: 'REQUEST', scope: 'DOCUMENT', title: errorCode }],
});

function checkKeyspace({ params, settings }: VendorRequest): void {
  const keyspaces = (settings.keyspaces as string[] | undefined) ?? ['default_keyspace'];
  const { keyspace = '' } = params;
  if (!keyspaces.includes(keyspace)) {
    throw new Refused('UNKNOWN_KEYSPACE', `The database has no keyspace ${keyspace}`);
  }
}

const buildCollectionKey = ({ params }: VendorRequest, name: string) => `${params.keyspace}/${name}`;

function findRequestedCollection(request: VendorRequest): Collection {
  const name = request.params.collection!;
  const found = request.memory.get(buildCollectionKey(request, name)) as Collection | undefined;
  if (found) return found;
  if (name === SAMPLE_NAME) return { options: { vector: { dimension: 2 } }, documents: new Map() };
  throw new Refused('UNKNOWN_COLLECTION_OR_TABLE', `Collection does not exist, collection name: ${name}`);
}

/** Returns the collections of a keyspace. `settings.collections` adds existing ones. */
function collectionsIn({ memory, params, settings }: VendorRequest): { name: string; options: Options }[] {
  const made = [...memory].flatMap(([key, value]) => {
    const [keyspace, name] = key.split('/') as [string, string];
    return keyspace === params.keyspace ? [{ name, options: (value as Collection).options }] : [];
  });
  return [...((settings.collections as typeof made | undefined) ?? []), ...made];
}

const keyspaceCommands: Record<string, (request: VendorRequest, command: Command) => unknown> = {
  findCollections: (request) => ({ status: { collections: collectionsIn(request) } }),
  createCollection(request, { name, options = {} }) {
    const there = collectionsIn(request).find((each) => each.name === name);
    if (there && JSON.stringify(there.options) !== JSON.stringify(options)) {
      throw new Refused('EXISTING_COLLECTION_DIFFERENT_SETTINGS', `collection ${name} has other settings`);
    }
    if (!there)
      request.memory.set(buildCollectionKey(request, name as string), { options, documents: new Map() });
    request.note(there ? 'was there' : 'made');
    return { status: { ok: 1 } };
  },
};

function keep({ options, documents }: Collection, document: Document): void {
  checkDocument(document, options.indexing ?? {});
  resolveVector(document, options.vector!.dimension);
  documents.set(document._id, structuredClone(document));
}

const selected = ({ options, documents }: Collection, filter: unknown): Document[] =>
  [...documents.values()].filter(compileFilter((filter ?? {}) as Document, options.indexing));

const collectionCommands: Record<string, (collection: Collection, command: Command) => unknown> = {
  insertMany(collection, { documents, options }) {
    const errors: object[] = [];
    const answers = (documents as Document[]).map((document) => {
      const { _id } = document;
      try {
        if (collection.documents.has(_id)) {
          throw new Refused('DOCUMENT_ALREADY_EXISTS', `a document already exists with given '_id' (${_id})`);
        }
        keep(collection, document);
        return { _id, status: 'OK' };
      } catch (error) {
        if (!(error instanceof Refused)) throw error;
        errors.push(...buildAstraError(error.errorCode, error.message).errors);
        return { _id, status: 'ERROR', errorsIdx: errors.length - 1 };
      }
    });
    const { returnDocumentResponses } = (options ?? {}) as { returnDocumentResponses?: boolean };
    const insertedIds = answers.filter(({ status }) => status === 'OK').map(({ _id }) => _id);
    const status = returnDocumentResponses ? { documentResponses: answers } : { insertedIds };
    return { status, ...(errors.length > 0 && { errors }) };
  },
  findOneAndReplace(collection, { filter, replacement, options }) {
    const [there] = selected(collection, filter);
    const { upsert } = (options ?? {}) as { upsert?: boolean };
    if (there || upsert) keep(collection, { ...(there && { _id: there._id }), ...(replacement as Document) });
    const modifiedCount = there ? 1 : 0;
    return { data: { document: there ?? null }, status: { matchedCount: modifiedCount, modifiedCount } };
  },
  deleteMany(collection, { filter }) {
    const all = selected(collection, filter);
    const some = all.slice(0, AT_ONCE);
    for (const { _id } of some) collection.documents.delete(_id);
    const moreData = all.length > some.length;
    return { status: { deletedCount: some.length, ...(moreData && { moreData }) } };
  },
  updateMany(collection, { filter, update, options }) {
    const { pageState } = (options ?? {}) as { pageState?: string };
    const from = Number(pageState ?? 0);
    const some = selected(collection, filter).slice(from, from + AT_ONCE);
    const { $set } = update as { $set: Document };
    for (const document of some) keep(collection, { ...document, ...$set });
    const isMore = some.length === AT_ONCE;
    const counts = { matchedCount: some.length, modifiedCount: some.length };
    return {
      status: { ...counts, ...(isMore && { moreData: true, nextPageState: String(from + AT_ONCE) }) },
    };
  },
  find(collection, { filter, sort, projection, options }) {
    const { limit = MOST_FOUND, includeSimilarity } = (options ?? {}) as {
      limit?: number;
      includeSimilarity?: boolean;
    };
    if (limit > MOST_FOUND) {
      throw new Refused('CANNOT_VECTOR_SORT_WITH_LIMIT_EXCEEDS_MAX', `the limit is ${MOST_FOUND}`);
    }
    if (sort === undefined) {
      const documents = selected(collection, filter).map(({ _id }) => ({ _id }));
      const page = documents.slice(0, Math.min(limit, AT_ONCE));
      const isMore = page.length < Math.min(limit, documents.length);
      return { data: { documents: page, nextPageState: isMore ? 'more' : null } };
    }
    const { dimension } = collection.options.vector!;
    const query = resolveVector(sort as Document, dimension);
    const names = ['_id', ...Object.keys((projection ?? {}) as object)];
    const documents = selected(collection, filter)
      .map((document) => ({
        ...Object.fromEntries(names.map((name) => [name, document[name]])),
        ...(includeSimilarity && {
          $similarity: (1 + cosine(query, resolveVector(document, dimension))) / 2,
        }),
      }))
      .sort((a, b) => Number(b.$similarity) - Number(a.$similarity))
      .slice(0, limit);
    return { data: { documents, nextPageState: null } };
  },
};

/** Converts exceptions to the vendor's errors. */
const answering =
  (answer: (request: VendorRequest) => unknown) =>
  (request: VendorRequest): Answer => {
    try {
      checkKeyspace(request);
      return { body: answer(request) };
    } catch (error) {
      if (!(error instanceof Refused)) throw error;
      return { body: buildAstraError(error.errorCode, error.message) };
    }
  };

const commandIn = ({ body }: VendorRequest) => Object.entries(body as Record<string, Command>)[0]!;

export const astraDb: Behaviour = {
  name: 'astra-db',
  error: (_, message) => ({ errors: [{ message, errorCode: 'REQUEST' }] }),
  authenticate: ({ headers, settings }) =>
    headers.token === settings.token ? undefined : { status: 401, message: 'UNAUTHENTICATED: Invalid token' },
  sign: (_, { token }) => ({ token: String(token) }),
  settings: { token: 'AstraCS:token-of-the-vendor' },
  operations: {
    'POST /api/json/v1/{keyspace}': {
      sample: {
        params: SAMPLE_PARAMS,
        body: {
          createCollection: {
            name: 'c',
            options: { vector: { dimension: 2, metric: 'cosine' }, indexing: { deny: ['text'] } },
          },
        },
      },
      answer: answering((request) => {
        const [name, command] = commandIn(request);
        return keyspaceCommands[name]!(request, command);
      }),
    },
    'POST /api/json/v1/{keyspace}/{collection}': {
      sample: {
        params: SAMPLE_PARAMS,
        body: {
          find: {
            filter: { a: 'x' },
            sort: { $vector: [1, 0] },
            projection: { a: 1 },
            options: { limit: 3, includeSimilarity: true },
          },
        },
        freeForm: ['find.filter', 'find.sort', 'find.projection'],
      },
      answer: answering((request) => {
        const [name, command] = commandIn(request);
        return collectionCommands[name]!(findRequestedCollection(request), command);
      }),
    },
  },
};
