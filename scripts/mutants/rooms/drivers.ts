import { type MutantRoom, moduleRoom, serviceRoom } from './define.ts';

// The spelling checker takes parts of the glob patterns for comments.
// cspell:ignore onedrive

/** Drivers of data sinks, data sources and models, and their requests. */
export const DRIVER_ROOMS = {
  'address guard': moduleRoom(['src/upstream/address-guard.ts'], ['test/upstream/address*.test.ts']),
  'outgoing requests': moduleRoom(
    ['src/upstream/!(address-guard|fetch-url|service-account).ts', 'src/lib/async/backoff.ts'],
    ['test/upstream/{http*,retryable,scrub,tokens}.test.ts'],
  ),
  webhooks: moduleRoom(
    ['src/webhook-protocol/*.ts', 'src/lib/secrets/hmac.ts'],
    ['test/webhook-protocol/*.test.ts'],
  ),

  'sink astra': moduleRoom(['src/sinks/astra/*.ts'], ['test/sinks/astra/*.test.ts']),
  'sink azure-ai-search': moduleRoom(
    ['src/sinks/azure-ai-search/{,search/}*.ts'],
    ['test/sinks/azure-ai-search/*.test.ts'],
  ),
  'sink milvus': moduleRoom(['src/sinks/milvus/{,search/}*.ts'], ['test/sinks/milvus/*.test.ts']),
  'sink mongodb': moduleRoom(['src/sinks/mongodb/{,search/}*.ts'], ['test/sinks/mongodb/*.test.ts']),
  'sink opensearch': moduleRoom(
    ['src/sinks/opensearch/{,search/}*.ts'],
    ['test/sinks/opensearch/{,search/}*.test.ts'],
  ),
  'sink pgvector': moduleRoom(['src/sinks/pgvector/*.ts'], ['test/sinks/pgvector/*.test.ts']),
  'sink pinecone': moduleRoom(['src/sinks/pinecone/*.ts'], ['test/sinks/pinecone/*.test.ts']),
  'sink qdrant': moduleRoom(['src/sinks/qdrant/**/*.ts'], ['test/sinks/qdrant/*.test.ts']),
  'sink managed': serviceRoom(
    ['src/sinks/managed/*.ts'],
    ['test/durable-objects/managed-sink{,-suite}.test.ts'],
  ),
  sinks: moduleRoom(
    ['src/sinks/*.ts', 'src/sinks/external/{kwargs,points,pre-filter,store-http,vector-store}.ts'],
    ['test/sinks/*.test.ts', 'test/sinks/external/{points,pre-filter}.test.ts'],
  ),
  'external sinks': serviceRoom(
    ['src/sinks/external/!(kwargs|points|pre-filter|store-http|vector-store).ts'],
    ['test/durable-objects/external-sink.test.ts'],
  ),

  'source azure-blob-storage': moduleRoom(
    ['src/sources/azure-blob-storage/*.ts'],
    ['test/sources/azure-blob-storage.test.ts'],
  ),
  'source box': moduleRoom(['src/sources/box/*.ts'], ['test/sources/box.test.ts']),
  'source confluence': moduleRoom(['src/sources/confluence/**/*.ts'], ['test/sources/confluence*.test.ts']),
  'source google-drive': moduleRoom(['src/sources/google-drive/*.ts'], ['test/sources/google-drive.test.ts']),
  'source jira': moduleRoom(
    ['src/sources/jira/**/*.ts'],
    ['test/sources/jira*.test.ts', 'test/sources/jira/*.test.ts'],
  ),
  'source microsoft-graph': moduleRoom(
    ['src/sources/{microsoft-graph,onedrive,sharepoint}/*.ts'],
    ['test/sources/{microsoft-graph,onedrive,sharepoint}.test.ts'],
  ),
  'source notion': moduleRoom(['src/sources/notion/*.ts'], ['test/sources/notion*.test.ts']),
  'source s3': moduleRoom(['src/sources/s3/*.ts'], ['test/sources/s3*.test.ts']),
  'source slack': moduleRoom(['src/sources/slack/*.ts'], ['test/sources/slack.test.ts']),
  sources: moduleRoom(
    ['src/sources/registry.ts', 'src/sources/shared/*.ts'],
    [
      'test/sources/{box,components,drive-suite,group-walk,sanitize-source,tree-walk}.test.ts',
      'test/sources/microsoft-graph.test.ts',
    ],
  ),

  'embedding models': moduleRoom(['src/models/embedding/**/*.ts'], ['test/models/embedding/**/*.test.ts']),
  'language models': moduleRoom(
    [
      'src/models/models.ts',
      'src/models/{definition,language,structured-output}/*.ts',
      'src/upstream/service-account.ts',
    ],
    ['test/models/{definition,language}/*.test.ts'],
  ),
  'reranking models': moduleRoom(
    ['src/models/reranking/*.ts'],
    ['test/models/reranking/*.test.ts', 'test/retrieval/rerank.test.ts'],
  ),
  'OCR engines': moduleRoom(
    ['src/models/ocr/*.ts', 'ocr/{languages,table}.ts', 'ocr/{picture,reading}/*.ts'],
    ['test/models/ocr/*.test.ts', 'test/ocr/**/*.test.ts'],
  ),
} satisfies Record<string, MutantRoom>;
