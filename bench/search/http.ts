import { type Place, Service, sleep } from '../../test/process/service.ts';
import { CHUNKS_PER_DOCUMENT, chunk, getBucket, query } from './data.ts';

const DOCUMENTS_PER_CALL = 100;
const FINISHED = new Set(['SUCCESS', 'PARTIAL_SUCCESS', 'ERROR', 'CANCELLED']);
const WARM_UP = 20;

/** Each text of data.ts is one page, so that the service gets the same chunks as the other engines. */
const PAGES = {
  mode: 'advanced',
  segmentation_config: { mode: 'page' },
  chunking_config: { mode: 'none' },
};

export const HTTP_MODES: Record<string, Record<string, unknown>> = {
  dense: { alpha: 1, enable_reranking: false },
  sparse: { alpha: 0, enable_reranking: false },
  hybrid: { alpha: 0.5, enable_reranking: false },
  'hybrid, reranked': { alpha: 0.5 },
};

export interface HttpFigures {
  milliseconds: number[];
  /** Milliseconds per stage, as the answers report them. */
  stages: Record<string, number>;
}

/** The whole service in a separate process, queried as by a client. */
export class HttpService {
  readonly service: Service;
  #pipelineId = '';

  /** `variables` and `place` are passed to `Service`. */
  constructor(variables: Record<string, string> = {}, place: Place = {}) {
    this.service = new Service(variables, place);
  }

  /** Path of the pipeline that `fill` created. */
  get path(): string {
    return `/api/v1/pipelines/${this.#pipelineId}`;
  }

  async start(): Promise<void> {
    await this.service.start();
  }

  async end(): Promise<void> {
    await this.service.end();
  }

  /** Uploads the documents through the API and returns the seconds of the sync that indexed them. */
  async fill(count: number): Promise<number> {
    const call = this.service.call.bind(this.service);
    const body = { name: 'bench', transform_config: PAGES };
    this.#pipelineId = (await call<{ id: string }>('PUT', '/api/v1/pipelines', body)).id;
    const { path } = this;
    const documents = Math.ceil(count / CHUNKS_PER_DOCUMENT);
    for (let from = 0; from < documents; from += DOCUMENTS_PER_CALL) {
      const batch = Array.from({ length: Math.min(DOCUMENTS_PER_CALL, documents - from) }, (_, i) =>
        buildDocument(from + i),
      );
      await call('PUT', `${path}/documents`, batch);
    }
    return this.sync();
  }

  /** Syncs the pipeline and returns the seconds. */
  async sync(): Promise<number> {
    const started = performance.now();
    await this.service.call('POST', `${this.path}/sync`);
    for (;;) {
      const { status } = await this.service.call<{ status: string }>('GET', `${this.path}/status`);
      if (status === 'SUCCESS') return (performance.now() - started) / 1000;
      if (FINISHED.has(status)) throw new Error(`the sync ended with ${status}`);
      await sleep(200);
    }
  }

  /** Sends one query after the other, with ten nodes each. */
  async ask(mode: string, queries: number): Promise<HttpFigures> {
    const filtered = mode.endsWith(', filtered');
    const parameters = HTTP_MODES[mode.replace(', filtered', '')];
    const milliseconds: number[] = [];
    const stages: Record<string, number> = {};
    for (let i = -WARM_UP; i < queries; i++) {
      const { text } = query(i < 0 ? 900_000 - i : i);
      const body = {
        query: text,
        dense_similarity_top_k: 10,
        sparse_similarity_top_k: 10,
        rerank_top_n: 10,
        ...parameters,
        ...(filtered && { search_filters: inBucket(i + WARM_UP) }),
      };
      const started = performance.now();
      const answer = await this.service.call<{ retrieval_latency: Record<string, number> }>(
        'POST',
        `${this.path}/retrieve`,
        body,
      );
      if (i < 0) continue;
      milliseconds.push(performance.now() - started);
      for (const [stage, seconds] of Object.entries(answer.retrieval_latency)) {
        stages[stage] = (stages[stage] ?? 0) + (1000 * seconds) / queries;
      }
    }
    return { milliseconds, stages };
  }
}

function buildDocument(number: number) {
  const first = number * CHUNKS_PER_DOCUMENT;
  const pages = Array.from({ length: CHUNKS_PER_DOCUMENT }, (_, i) => chunk(first + i).text);
  const starts: number[] = [];
  let text = '';
  for (const page of pages) {
    starts.push(text.length);
    text += `${page}\n`;
  }
  return {
    id: `document ${number}`,
    text,
    page_positions: starts,
    metadata: { bucket: getBucket(number), year: 2000 + (number % 25) },
  };
}

function inBucket(number: number) {
  return { condition: 'and', filters: [{ key: 'bucket', operator: '==', value: getBucket(number) }] };
}
