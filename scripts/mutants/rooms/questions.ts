import { type MutantRoom, moduleRoom, serviceRoom } from './define.ts';

/** Rules of search, retrieval and chat. */
export const QUESTION_ROOMS = {
  filters: moduleRoom(['src/search/filters.ts'], ['test/search/filters.test.ts']),
  'filters of a shard': serviceRoom(
    ['durable-objects/search-shard/postings/{caseless-glob,filter-*}.ts', 'src/search/pages.ts'],
    ['test/durable-objects/search-shard-filters.test.ts'],
  ),
  'postings of a shard': serviceRoom(
    ['durable-objects/search-shard/postings/!(caseless-glob|filter-*).ts'],
    ['test/durable-objects/{posting-merge,search-shard,search-shard-titles}.test.ts'],
  ),
  shards: serviceRoom(
    ['durable-objects/search-shard.ts', 'durable-objects/search-shard/{*,chunks/*}.ts'],
    [
      'test/durable-objects/search-shard.test.ts',
      'test/durable-objects/search-shard-{fan-out,points,upkeep}.test.ts',
      'test/durable-objects/isolate-memory.test.ts',
    ],
  ),
  'vectors of a shard': serviceRoom(
    ['durable-objects/search-shard/vectors/*.ts', 'src/search/{dense,vectors}.ts'],
    ['test/durable-objects/{search-shard,vectorize-shard}.test.ts'],
  ),
  ranking: moduleRoom(
    ['src/search/{bm25,fan-out,fusion,term-weights}.ts'],
    ['test/search/{bm25,fan-out,fusion,merge}.test.ts'],
  ),
  'text search': moduleRoom(
    [
      'src/search/!(bm25|dense|fan-out|filters|fusion|pages|term-weights|vectors).ts',
      'src/search/kernels/*.ts',
    ],
    ['test/search/{analysis,kernels,learned-terms,postings,query,recent-postings,words}.test.ts'],
  ),
  retrieval: moduleRoom(
    ['src/retrieval/{index,infer-filters,interleave,ports,rerank-chunks}.ts', 'src/retrieval/modes/*.ts'],
    ['test/retrieval/*.test.ts'],
  ),
  'retrieval requests': serviceRoom(
    ['src/retrieval/!(index|infer-filters|interleave|ports|rerank-chunks).ts'],
    [
      'test/retrieval/service/*.test.ts',
      'test/api/{metadata-keys,retrieval,retrieval-access,retrievers}.test.ts',
    ],
  ),
  'retrieval parameters': moduleRoom(['src/retrieval-contract/*.ts'], ['test/retrieval-contract/*.test.ts']),
  'filter inference': moduleRoom(
    ['src/builtin/filter-inference/*.ts'],
    ['test/builtin/filter-inference.test.ts', 'test/retrieval/infer-filters.test.ts'],
  ),
  'built-in search': moduleRoom(
    [
      'src/builtin/{embedder,lexical-features,reranker,terms,word-weight}.ts',
      'src/builtin/word-vectors/!(*table).ts',
    ],
    ['test/builtin/{embedder,reranker,word-vectors}.test.ts'],
  ),
  'built-in answers': moduleRoom(
    ['src/builtin/answering/*.ts', 'src/builtin/{follow-up,question-parts}.ts'],
    ['test/builtin/{answerer,follow-up,question-parts}.test.ts'],
  ),
  chat: moduleRoom(['src/chat/!(builtin-warnings|job).ts'], ['test/chat/*.test.ts']),
  'chat stream': moduleRoom(['src/chat/stream/!(read-chunks).ts'], ['test/chat/stream/*.test.ts']),
  'chat sessions': serviceRoom(
    [
      'src/chat/sessions/*.ts',
      'src/chat/{builtin-warnings,job}.ts',
      'src/chat/stream/read-chunks.ts',
      'durable-objects/chat-stream.ts',
      'src/work/chat-owner.ts',
    ],
    ['test/chat/service/*.test.ts', 'test/api/chat*.test.ts', 'test/durable-objects/chat-stream*.test.ts'],
  ),
} satisfies Record<string, MutantRoom>;
