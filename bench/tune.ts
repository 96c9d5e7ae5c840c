/**
 * Searches for better settings on a public question set through the API of a local service, as `npm run tune` does.
 * Run: npm run bench:tune -- [--set chroma-articles] [--queries 1000] [--alpha 0,0.08,0.3] [--chunk-sizes 256,512]
 *      [--reranking on,off] [--metric ndcg@10] [--budget 5000]
 *      [--chunk-size 256]   chunk size of the pipeline whose settings are improved   (CORPORA=<dir>)
 */
import { setTimeout as wait } from 'node:timers/promises';
import { parseArgs } from 'node:util';
import { parseOptions } from '#scripts/tune/options.ts';
import { tune } from '#scripts/tune/tune.ts';
import { Service } from '#test/process/service.ts';
import { readAnySet } from './retrieval/built-sets.ts';
import { preparePipeline } from './retrieval/client.ts';
import type { RetrievalSet } from './retrieval/sets.ts';

const { values } = parseArgs({
  options: {
    set: { type: 'string', default: 'chroma-articles' },
    queries: { type: 'string', default: '1000' },
    alpha: { type: 'string', default: '0,0.08,0.3' },
    reranking: { type: 'string', default: 'on,off' },
    'chunk-sizes': { type: 'string', default: '256,512' },
    metric: { type: 'string', default: 'ndcg@10' },
    budget: { type: 'string', default: '5000' },
    'chunk-size': { type: 'string' },
  },
});
const QUESTIONS_PER_CALL = 500;
/** The pipeline returns ten results instead of six, so that all settings have the same chance at nDCG@10. */
const PRESET = { rerank_top_n: 10 };

const set = readAnySet(values.set, Number(values.queries));
if (!set) throw new Error(`The corpora have no set ${values.set}. Set CORPORA to their folder.`);
const service = new Service();
await service.start();
try {
  const pipelineId = await preparePipeline(
    (...request) => service.call(...request),
    set.name,
    set.documents.map(({ _id, text, title }) => ({ id: _id, text, metadata: title ? { title } : {} })),
    values['chunk-size'] ? { mode: 'auto', chunk_size: Number(values['chunk-size']) } : undefined,
  );
  await service.call('PUT', `/api/v1/pipelines/${pipelineId}`, { preset_retrieval_parameters: PRESET });
  await addQuestions(set);
  const { set: _, queries: __, 'chunk-size': ___, ...given } = values;
  const options = Object.entries(given).flatMap(([name, value]) => (value ? [`--${name}`, value] : []));
  const { best, isCurrent, comparison } = await tune(
    parseOptions(['--set', set.name, '--pipeline', set.name, ...options])!,
    {
      request: (method, path, body) => service.call(method, path, body),
      wait: (milliseconds) => wait(Math.min(milliseconds, 200)),
      print: (line) => console.log(line),
    },
  );
  console.log(
    isCurrent
      ? 'The current settings are the best.'
      : `Best: ${best.name} ${JSON.stringify(best.parameters)}`,
  );
  if (comparison) console.log(JSON.stringify(comparison, null, 2).slice(0, 1_500));
} finally {
  await service.end();
}

/**
 * Creates a question set whose questions expect the relevant documents. If a set marks the passages that answer a
 * question, the questions expect these passages.
 */
async function addQuestions({ name, queries, documents, relevant }: RetrievalSet): Promise<void> {
  const path = '/api/v1/evaluations/question-sets';
  const { id } = await service.call<{ id: string }>('POST', path, { name });
  const texts = new Map(documents.map((each) => [each._id, each.text]));
  const questions = queries.map(({ _id, text, doc, references }) => {
    const passages = references?.map(({ start, end }) => ({ text: texts.get(doc!)?.slice(start, end) }));
    if (passages?.every((each) => each.text)) return { text, expected_passages: passages };
    const expected = [...(relevant.get(_id) ?? [])];
    return {
      text,
      expected_documents: expected.map(([document_id, relevance]) => ({ document_id, relevance })),
    };
  });
  for (let from = 0; from < questions.length; from += QUESTIONS_PER_CALL) {
    await service.call('POST', `${path}/${id}/questions`, {
      questions: questions.slice(from, from + QUESTIONS_PER_CALL),
    });
  }
}
