import { PATIENCE_MS } from '#test/support/patience.ts';
import { type ServiceClient, sleep } from './service.ts';

export interface SyncStatus {
  status: string;
  job_id: string | null;
  error: { job_id: string; message: string; step: string }[] | null;
  counts: Record<string, number>;
  progress: { counters: Record<string, number>; items: Record<string, number> };
}

export interface Hit {
  node: { id_: string; text: string; extra_info: Record<string, unknown> };
}

const FINISHED = new Set(['SUCCESS', 'PARTIAL_SUCCESS', 'ERROR', 'CANCELLED']);

/** Client for pipelines of a service in another process. */
export class SyncClient {
  readonly #service: ServiceClient;

  constructor(service: ServiceClient) {
    this.#service = service;
  }

  async createPipeline(body: Record<string, unknown> = {}): Promise<string> {
    const name = `pipeline ${crypto.randomUUID()}`;
    return (await this.#service.call<{ id: string }>('POST', '/api/v1/pipelines', { name, ...body })).id;
  }

  status(id: string): Promise<SyncStatus> {
    return this.#service.call('GET', `/api/v1/pipelines/${id}/status?full_details=true`);
  }

  /** Requests a sync, or joins a running one, and waits for its end. */
  async sync(id: string): Promise<SyncStatus> {
    await this.#service.call('POST', `/api/v1/pipelines/${id}/sync`);
    return this.untilFinished(id);
  }

  /** Waits for the end of the run that `begin` starts. */
  async run(id: string, begin: () => Promise<unknown>): Promise<SyncStatus> {
    const before = (await this.status(id)).job_id;
    await begin();
    return this.untilFinished(id, before);
  }

  async untilFinished(id: string, notJob: string | null = null, patience = PATIENCE_MS): Promise<SyncStatus> {
    let status = await this.status(id);
    for (let waited = 0; waited < patience; waited += 50) {
      if (status.job_id !== notJob && FINISHED.has(status.status)) return status;
      await sleep(50);
      status = await this.status(id);
    }
    throw new Error(`the sync did not end: ${JSON.stringify(status)}`);
  }

  /** Searches by keywords without reranking, so exactly the chunks with one of the words are returned. */
  async search(id: string, query: string): Promise<Hit[]> {
    const body = { query, alpha: 0, enable_reranking: false, sparse_similarity_top_k: 100 };
    const answer = await this.#service.call<{ retrieval_nodes: Hit[] }>(
      'POST',
      `/api/v1/pipelines/${id}/retrieve`,
      body,
    );
    return answer.retrieval_nodes;
  }
}
