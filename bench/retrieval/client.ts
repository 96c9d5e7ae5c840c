import type { Found } from './sets.ts';

/** Function that calls the API of the service. The bench uses no other access. */
export type Call = <Body>(method: string, path: string, body?: unknown) => Promise<Body>;

const DOCUMENTS_PER_CALL = 500;
const IN_FLIGHT = 4;
const FINISHED = new Set(['SUCCESS', 'PARTIAL_SUCCESS', 'ERROR', 'CANCELLED']);

const ATTEMPTS = 5;

/** Creates a function that calls a running service. */
export function createClient(base: string, key: string): Call {
  return async <Body>(method: string, path: string, body?: unknown): Promise<Body> => {
    const response = await fetch(base + path, {
      method,
      headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json' },
      ...(body !== undefined && { body: JSON.stringify(body) }),
    });
    if (!response.ok) throw new Error(`${method} ${path}: ${response.status} ${await response.text()}`);
    return (await response.json()) as Body;
  };
}

/**
 * Repeats calls that fail with 503, because the local service restarts when a source file changes. All calls
 * of the bench may be repeated.
 */
export function withRetries(call: Call): Call {
  return async <Body>(...request: Parameters<Call>): Promise<Body> => {
    for (let attempt = 1; ; attempt += 1) {
      try {
        return await call<Body>(...request);
      } catch (error) {
        if (attempt === ATTEMPTS || !String(error).includes(': 503 ')) throw error;
        await new Promise((resolve) => setTimeout(resolve, 2000));
      }
    }
  };
}

/**
 * Creates a pipeline with the documents and syncs it. A pipeline with the same name is used again, and only
 * changes are indexed.
 */
export async function preparePipeline(
  call: Call,
  name: string,
  documents: { id: string; text: string; metadata: Record<string, unknown> }[],
  transform_config?: Record<string, unknown>,
): Promise<string> {
  const { id } = await call<{ id: string }>('PUT', '/api/v1/pipelines', {
    name,
    ...(transform_config && { transform_config }),
  });
  for (let from = 0; from < documents.length; from += DOCUMENTS_PER_CALL) {
    const batch = documents.slice(from, from + DOCUMENTS_PER_CALL);
    await call('PUT', `/api/v1/pipelines/${id}/documents`, batch);
  }
  await call('POST', `/api/v1/pipelines/${id}/sync`);
  for (;;) {
    const { status } = await call<{ status: string }>('GET', `/api/v1/pipelines/${id}/status`);
    if (status === 'SUCCESS') return id;
    if (FINISHED.has(status)) throw new Error(`${name}: the sync ended with ${status}`);
    await new Promise((resolve) => setTimeout(resolve, 200));
  }
}

interface Retrieved {
  retrieval_nodes: {
    node: { start_char_idx: number; end_char_idx: number; extra_info: { document_id: string } };
  }[];
}

export async function retrieve(
  call: Call,
  pipelineId: string,
  query: string,
  parameters: object,
): Promise<Found[]> {
  const answer = await call<Retrieved>('POST', `/api/v1/pipelines/${pipelineId}/retrieve`, {
    query,
    ...parameters,
  });
  return answer.retrieval_nodes.map(({ node }) => ({
    documentId: node.extra_info.document_id,
    start: node.start_char_idx,
    end: node.end_char_idx,
  }));
}

/** Processes a few items at the same time. The results are in the order of the items. */
export async function inParallel<Item, Result>(
  items: Item[],
  work: (item: Item) => Promise<Result>,
): Promise<Result[]> {
  const results: Result[] = [];
  let next = 0;
  const worker = async () => {
    while (next < items.length) {
      const index = next++;
      results[index] = await work(items[index]!);
    }
  };
  await Promise.all(Array.from({ length: IN_FLIGHT }, worker));
  return results;
}
