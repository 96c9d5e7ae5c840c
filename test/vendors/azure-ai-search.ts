import { checkFields, wrongValue } from './azure-search/documents.ts';
import type { Document, Field } from './azure-search/odata.ts';
import { Refused } from './azure-search/refused.ts';
import { type Search, search } from './azure-search/search.ts';
import type { Answer, Behaviour, VendorRequest } from './behaviour.ts';

// In-memory indexes with linear search.

interface Definition {
  name: string;
  fields: Field[];
  [other: string]: unknown;
}
interface Index {
  definition: Definition;
  documents: Map<string, Document>;
  searches?: number;
}
type Action = Document & { '@search.action': string };

const MOST_ACTIONS = 1_000;
const LONGEST_BODY = 16_000_000;

const azureError = (status: number, message: string) => ({ error: { code: String(status), message } });

/** Fields of the samples, which are sent without creating an index first. */
const SAMPLE_FIELDS: Field[] = [
  { name: 'id', type: 'Edm.String', key: true, filterable: true },
  { name: 'vector', type: 'Collection(Edm.Single)', dimensions: 2 },
];
const SAMPLE = { params: { indexName: 'sample' }, query: { 'api-version': '2025-09-01' } };

function findIndex({ memory, params, settings }: VendorRequest): Index | undefined {
  const name = params.indexName!;
  const there = settings.index as Definition | undefined;
  if (there && there.name === name && !memory.has(name))
    memory.set(name, { definition: there, documents: new Map() });
  const sample = { definition: { name, fields: SAMPLE_FIELDS }, documents: new Map<string, Document>() };
  return (memory.get(name) as Index | undefined) ?? (name === 'sample' ? sample : undefined);
}

function indexOf(request: VendorRequest): Index {
  const found = findIndex(request);
  if (found) return found;
  throw new Refused(`The index '${request.params.indexName}' was not found.`, 404);
}

const buildEtag = ({ fields }: Definition) => `"${fields.length}"`;
const shown = (definition: Definition) => ({ ...definition, '@odata.etag': buildEtag(definition) });

/** Converts exceptions to the vendor's errors. */
const answering = (answer: (request: VendorRequest) => Answer) => (request: VendorRequest) => {
  try {
    return answer(request);
  } catch (error) {
    if (!(error instanceof Refused)) throw error;
    return { status: error.status, body: azureError(error.status, error.message) };
  }
};

function write({ definition, documents }: Index, { '@search.action': action, ...document }: Action) {
  const key = document.id as string;
  const done = (statusCode: number) => ({ key, status: true, statusCode, errorMessage: null });
  const failed = (statusCode: number, errorMessage: string) => ({
    key,
    status: false,
    statusCode,
    errorMessage,
  });
  if (!/^[\w=-]+$/.test(key)) throw new Refused(`Invalid document key: '${key}'.`);
  if (action === 'delete') {
    documents.delete(key);
    return done(200);
  }
  checkFields(document, definition.fields);
  const wrong = wrongValue(document, definition.fields);
  if (wrong) return failed(400, wrong);
  const there = documents.get(key);
  if (!there && action === 'merge') return failed(404, 'Document not found.');
  documents.set(key, { ...there, ...document });
  return done(there ? 200 : 201);
}

/**
 * Answers a search. The first `unseen` searches in an index find nothing, like those right after a write. With `plain`,
 * answers lack the scores of the arms.
 */
function answerSearch(request: VendorRequest): Answer {
  const { settings, query, body } = request;
  const index = indexOf(request);
  index.searches = (index.searches ?? 0) + 1;
  const seen = index.searches > Number(settings.unseen ?? 0) ? index.documents : new Map<string, Document>();
  const value = search(index.definition.fields, seen, body as Search, query['api-version'] ?? '');
  return { body: { value: settings.plain ? value.map(withoutDebugInfo) : value } };
}

const withoutDebugInfo = ({ '@search.documentDebugInfo': _, ...rest }: Record<string, unknown>) => rest;

export const azureAiSearch: Behaviour = {
  name: 'azure-ai-search',
  error: azureError,
  authenticate({ headers, settings }) {
    const isRight =
      headers['api-key'] === settings.key ||
      (settings.token !== undefined && headers.authorization === `Bearer ${settings.token}`);
    return isRight ? undefined : { status: headers.authorization ? 401 : 403, message: 'Access denied.' };
  },
  sign: (_, { key }) => ({ 'api-key': String(key) }),
  settings: { key: 'key-of-the-vendor' },
  operations: {
    "GET /indexes('{indexName}')": {
      sample: SAMPLE,
      answer: answering((request) => ({ body: shown(indexOf(request).definition) })),
    },
    'POST /indexes': {
      sample: { query: SAMPLE.query, body: { name: 'new', fields: SAMPLE_FIELDS.slice(0, 1) } },
      answer: answering((request) => {
        const definition = request.body as Definition;
        const there = findIndex({ ...request, params: { indexName: definition.name } });
        if (there) throw new Refused(`The index '${definition.name}' already exists.`, 409);
        request.memory.set(definition.name, { definition, documents: new Map() });
        return { status: 201, body: shown(definition) };
      }),
    },
    "PUT /indexes('{indexName}')": {
      sample: { ...SAMPLE, body: { name: 'sample', fields: SAMPLE_FIELDS } },
      answer: answering((request) => {
        const index = indexOf(request);
        const match = request.headers['if-match'];
        if (match && match !== buildEtag(index.definition)) throw new Refused('The index was changed.', 412);
        const definition = request.body as Definition;
        const lost = index.definition.fields.find(
          ({ name }) => !definition.fields.some((each) => each.name === name),
        );
        if (lost) throw new Refused(`Existing field '${lost.name}' cannot be deleted.`);
        index.definition = definition;
        return { body: shown(definition) };
      }),
    },
    "POST /indexes('{indexName}')/docs/search.index": {
      sample: {
        ...SAMPLE,
        body: { value: [{ '@search.action': 'mergeOrUpload', id: 'a' }] },
        freeForm: ['value.0'],
      },
      answer: answering((request) => {
        const { value } = request.body as { value: Action[] };
        if (value.length > MOST_ACTIONS) throw new Refused('Too many documents.', 413);
        if (request.text.length > LONGEST_BODY) throw new Refused('The request is too large.', 413);
        const index = indexOf(request);
        const busy = request.trouble?.startsWith('busy')
          ? Number(request.trouble.slice('busy '.length))
          : undefined;
        const results = value.map((action, at) =>
          at % 2 === 0 && busy !== undefined
            ? { key: action.id as string, status: false, statusCode: busy, errorMessage: 'not now' }
            : write(index, action),
        );
        return { status: results.every(({ status }) => status) ? 200 : 207, body: { value: results } };
      }),
    },
    "POST /indexes('{indexName}')/docs/search.post.search": {
      sample: {
        ...SAMPLE,
        body: {
          ...{ filter: "id eq 'a'", select: 'id', top: 3, skip: 0, vectorFilterMode: 'preFilter' },
          vectorQueries: [{ kind: 'vector', vector: [1, 0], fields: 'vector', k: 3 }],
        },
      },
      answer: answering(answerSearch),
    },
  },
};
