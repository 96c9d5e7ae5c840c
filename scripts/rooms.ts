/**
 * Which room may import from which: the one table. A room is a folder or a single file; the longest path that
 * fits names it. `npm run check` holds every import to it, those of types too. Nothing looks back: the table has
 * no circle.
 */
export interface Room {
  paths: readonly string[];
  mayUse: readonly string[];
}

/** What every room may use: errors, ids, helpers that know nothing of the domain, and counting. */
const BASE = ['core', 'lib', 'metrics'] as const;
const ports = ['ports', ...BASE];

/** What any of the rules may ask of the rooms below them. */
const BELOW_SERVICES = [
  'builtin',
  'chat',
  'context',
  'data schemas',
  'db',
  'documents',
  'drawn text',
  'embedding models',
  'env',
  'files',
  'ingest',
  'jobs',
  'markdown',
  'messages',
  'picture rows',
  'reading',
  'retrieval',
  'search',
  'search words',
  'sinks',
  'sources',
  'text formats',
  'tokenizer',
  'upstream',
  'webhooks',
  'work',
  ...ports,
] as const;

/** The rooms of src/services, each with those of its siblings that it may ask. */
const SUBJECTS = {
  tenancy: [],
  usage: [],
  limits: [],
  secrets: ['tenancy'],
  connections: ['secrets', 'tenancy'],
  webhooks: ['secrets', 'tenancy'],
  models: ['limits', 'tenancy'],
  indexes: ['connections', 'secrets'],
  files: ['indexes', 'limits', 'tenancy'],
  parsing: ['models'],
  jobs: ['connections', 'files', 'limits', 'models', 'parsing', 'secrets', 'tenancy', 'webhooks'],
  retention: ['files', 'jobs', 'tenancy'],
  pipelines: ['connections', 'files', 'indexes', 'secrets', 'tenancy'],
  organizations: ['connections', 'files', 'jobs', 'limits', 'models', 'pipelines', 'retention', 'tenancy'],
  exports: ['jobs', 'organizations', 'secrets', 'tenancy'],
  retrieval: ['connections', 'files', 'indexes', 'models', 'pipelines', 'tenancy'],
  sync: ['connections', 'files', 'indexes', 'jobs', 'limits', 'parsing', 'pipelines', 'usage'],
  chat: ['models', 'pipelines', 'retrieval', 'usage'],
  backup: ['files', 'jobs', 'limits', 'secrets', 'tenancy'],
  operating: ['files', 'indexes', 'jobs', 'secrets', 'tenancy', 'webhooks'],
} as const;

const serviceRoom = (subject: string) => `services/${subject}`;
const SERVICES = Object.keys(SUBJECTS).map(serviceRoom);

const services: Record<string, Room> = Object.fromEntries(
  Object.entries(SUBJECTS).map(([subject, siblings]) => [
    serviceRoom(subject),
    { paths: [`src/services/${subject}/`], mayUse: [...BELOW_SERVICES, ...siblings.map(serviceRoom)] },
  ]),
);

export const ROOMS: Record<string, Room> = {
  core: {
    paths: ['src/errors.ts', 'src/ids.ts', 'src/data-modules.d.ts', 'src/fontkit.d.ts', 'src/wasm.d.ts'],
    mayUse: ['lib'],
  },
  lib: { paths: ['src/lib/'], mayUse: ['core'] },
  /** What is counted, in the memory of an isolate, and how it is told. */
  metrics: { paths: ['src/metrics/'], mayUse: ['core', 'lib'] },
  env: { paths: ['src/env.ts', 'src/settings.ts'], mayUse: BASE },
  /** The words of the index: what a chunk, a filter, a query and a shard are. */
  'search words': { paths: ['src/search/types.ts', 'src/search/shard.ts'], mayUse: [] },
  /** What drivers implement and their callers see. */
  ports: {
    paths: [
      'src/models/embedding/embedder.ts',
      'src/models/language/language-model.ts',
      'src/models/ocr/ocr.ts',
      'src/models/reranking/reranker.ts',
      'src/sinks/sink.ts',
      'src/sources/source.ts',
    ],
    mayUse: ['search words', 'env', ...BASE],
  },
  search: { paths: ['src/search/'], mayUse: ['search words', ...BASE] },
  db: { paths: ['src/db/'], mayUse: BASE },
  upstream: { paths: ['src/upstream/'], mayUse: ['env', ...BASE] },
  files: { paths: ['src/files/'], mayUse: ['env', ...BASE] },
  webhooks: { paths: ['src/webhooks/'], mayUse: ['db', 'env', 'upstream', 'vocabulary', ...BASE] },
  /** The contracts of the objects that own work. */
  work: { paths: ['src/work/'], mayUse: ['db', ...BASE] },
  /** The rules of the schemas that callers give, and those that have a name. */
  'data schemas': {
    paths: [
      'src/jobs/extract/schema.ts',
      'src/jobs/extract/schema-budget.ts',
      'src/jobs/extract/schema-keywords.ts',
      'src/jobs/extract/schema-normal-form.ts',
      'src/jobs/extract/schema-rules.ts',
      'src/jobs/extract/subschemas.ts',
      'src/jobs/structured-output/named-schemas/',
    ],
    mayUse: BASE,
  },
  /** What the service and the parser Worker share: the document model, parameters, pages in the bucket, the stub. */
  documents: {
    paths: [
      'src/parsing/client.ts',
      'src/parsing/configuration-hash.ts',
      'src/parsing/document.ts',
      'src/parsing/errors.ts',
      'src/parsing/formats.ts',
      'src/parsing/over-pages.ts',
      'src/parsing/page-rules.ts',
      'src/parsing/page-selection.ts',
      'src/parsing/page-store.ts',
      'src/parsing/parameters.ts',
      'src/parsing/parameters-checked.ts',
      'src/parsing/pipeline-parameters.ts',
      'src/parsing/parameters-without-effect.ts',
      'src/parsing/parser.ts',
      'src/parsing/pictures-wanted.ts',
      'src/parsing/reading-area.ts',
      'src/parsing/service.ts',
      'src/parsing/stopped-parser.ts',
      'src/parsing/versions.ts',
    ],
    mayUse: ['data schemas', 'files', 'webhooks', ...BASE],
  },
  /** Small formats that the service reads itself: tables of metadata, answers of sources. */
  'text formats': {
    paths: [
      'src/parsing/code-pages.ts',
      'src/parsing/encoding.ts',
      'src/parsing/legacy-encoding.ts',
      'src/parsing/letters.ts',
      'src/parsing/separated-values.ts',
      'src/parsing/xml.ts',
    ],
    mayUse: ['documents', ...BASE],
  },
  /** PNG pictures row by row: the service cuts parts out of the pictures of pages. */
  'picture rows': {
    paths: ['src/parsing/image/crop-png.ts', 'src/parsing/image/png.ts', 'src/parsing/image/png-rows.ts'],
    mayUse: BASE,
  },
  /** The one grammar of Markdown, for what is parsed and for what is chunked. */
  markdown: { paths: ['src/parsing/markdown/'], mayUse: ['documents', ...BASE] },
  /** How pages without an appearance of their own are laid out: for their pictures, and for places on those. */
  'drawn text': { paths: ['src/parsing/drawn-text/'], mayUse: ['documents', ...BASE] },
  /** The readers of all formats, which run in the parser Worker only. */
  parsing: {
    paths: ['src/parsing/'],
    mayUse: ['documents', 'drawn text', 'files', 'markdown', 'picture rows', 'text formats', ...ports],
  },
  'ocr engine': { paths: ['ocr/'], mayUse: [] },
  /** What a definition of a model is, and what its driver is given. */
  'model definitions': { paths: ['src/models/'], mayUse: ['env', 'ocr engine', 'upstream', ...ports] },
  /** One structured answer of whatever language model is handed in. */
  'structured answers': {
    paths: [
      'src/models/language/generate-object.ts',
      'src/models/language/errors.ts',
      'src/models/language/schema-hint.ts',
    ],
    mayUse: ['upstream', ...ports],
  },
  'language models': {
    paths: ['src/models/language/'],
    mayUse: ['env', 'model definitions', 'structured answers', 'upstream', ...ports],
  },
  'ocr models': {
    paths: ['src/models/ocr/'],
    mayUse: ['env', 'model definitions', 'upstream', ...ports],
  },
  'parser worker': {
    paths: ['parser/'],
    mayUse: ['documents', 'model definitions', 'ocr models', 'parsing', ...ports],
  },
  /** Counts tokens, for chunks and for calls of embedding models. */
  tokenizer: { paths: ['src/ingest/chunking/tokenizer.ts'], mayUse: [] },
  jobs: { paths: ['src/jobs/'], mayUse: ['data schemas', 'documents', 'structured answers', ...ports] },
  /** Pages read by models, and what they say verified against the page. */
  reading: { paths: ['src/reading/'], mayUse: ['documents', 'markdown', 'structured answers', ...ports] },
  builtin: {
    paths: ['src/builtin/'],
    mayUse: ['data schemas', 'documents', 'jobs', 'search', 'search words', ...ports],
  },
  'embedding models': {
    paths: ['src/models/embedding/'],
    mayUse: ['builtin', 'env', 'model definitions', 'tokenizer', 'upstream', ...ports],
  },
  'reranking models': {
    paths: ['src/models/reranking/'],
    mayUse: ['builtin', 'env', 'model definitions', 'structured answers', 'upstream', ...ports],
  },
  /** The only reader of the settings of models. */
  models: {
    paths: ['src/models/models.ts'],
    mayUse: ['embedding models', 'env', 'language models', 'model definitions', 'reranking models', ...ports],
  },
  sources: { paths: ['src/sources/'], mayUse: ['env', 'text formats', 'upstream', ...ports] },
  sinks: { paths: ['src/sinks/'], mayUse: ['search', 'search words', 'upstream', ...ports] },
  ingest: {
    paths: ['src/ingest/'],
    mayUse: ['documents', 'markdown', 'search', 'search words', 'tokenizer', ...ports],
  },
  retrieval: {
    paths: ['src/retrieval/'],
    mayUse: ['builtin', 'search', 'search words', ...ports],
  },
  chat: {
    paths: ['src/chat/'],
    mayUse: ['builtin', 'ingest', 'retrieval', 'search words', 'structured answers', 'tokenizer', ...ports],
  },
  messages: { paths: ['queues/messages.ts'], mayUse: ['env', ...BASE] },
  'names of objects': {
    paths: ['durable-objects/names.ts'],
    mayUse: ['env', 'search words', 'work', ...BASE],
  },
  context: {
    paths: ['src/context.ts'],
    mayUse: ['db', 'documents', 'env', 'messages', 'models', 'names of objects', ...ports],
  },
  ...services,
  objects: {
    paths: ['durable-objects/'],
    mayUse: ['context', 'db', 'env', 'search', 'search words', ...SERVICES, 'upstream', 'work', ...BASE],
  },
  queues: { paths: ['queues/'], mayUse: ['context', 'db', 'env', 'messages', ...SERVICES, 'work', ...BASE] },
  /** The words of existing clients for what the API calls by neutral names: data, and their translation. */
  vocabulary: { paths: ['src/vocabulary/'], mayUse: BASE },
  api: {
    paths: ['src/api/'],
    mayUse: [
      'chat',
      'context',
      'data schemas',
      'db',
      'documents',
      'embedding models',
      'env',
      'files',
      'jobs',
      'markdown',
      'retrieval',
      'search',
      'search words',
      ...SERVICES,
      'sinks',
      'sources',
      'tokenizer',
      'vocabulary',
      'webhooks',
      'work',
      ...ports,
    ],
  },
  entry: {
    paths: ['src/index.ts', 'src/app.ts'],
    mayUse: ['api', 'context', 'env', 'objects', 'queues', ...BASE],
  },
  /** The single-machine server: supervises the processes that run the Workers. */
  server: { paths: ['server/'], mayUse: ['documents', ...BASE] },
};
