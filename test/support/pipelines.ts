import { PATIENCE_MS } from '#test/support/patience.ts';
import { call, upload } from './client.ts';

export interface Status {
  status: string;
  error: { job_id: string; message: string; step: string }[] | null;
  problems?: { field: string; message: string }[];
  counts?: Record<string, number>;
  progress?: { counters: Record<string, number>; items: Record<string, number> };
  job_id: string | null;
}

export interface ScoreParts {
  dense: number | null;
  sparse: number | null;
  rerank: number | null;
}

export interface RetrievedNode {
  score: number;
  score_parts?: ScoreParts;
  node: {
    id_: string;
    text: string;
    extra_info: Record<string, unknown>;
    relationships: Record<string, { node_id: string }>;
  };
}

export async function createPipeline(body: Record<string, unknown> = {}): Promise<string> {
  const name = `pipeline ${crypto.randomUUID()}`;
  const answer = await call<{ id: string }>('POST', '/api/v1/pipelines', { body: { name, ...body } });
  if (answer.status !== 200) throw new Error(`create: ${answer.status} ${JSON.stringify(answer.body)}`);
  return answer.body.id;
}

export async function addFiles(
  pipelineId: string,
  files: Record<string, string | Uint8Array>,
): Promise<string[]> {
  const ids: string[] = [];
  for (const [name, content] of Object.entries(files)) ids.push(await upload(name, content));
  const body = ids.map((file_id) => ({ file_id }));
  const answer = await call('PUT', `/api/v1/pipelines/${pipelineId}/files`, { body });
  if (answer.status !== 200) throw new Error(`add: ${answer.status} ${JSON.stringify(answer.body)}`);
  return ids;
}

export async function statusOf(pipelineId: string): Promise<Status> {
  return (await call<Status>('GET', `/api/v1/pipelines/${pipelineId}/status?full_details=true`)).body;
}

const FINISHED = new Set(['SUCCESS', 'PARTIAL_SUCCESS', 'ERROR', 'CANCELLED']);

/** Requests a sync, or joins a running one, and waits for its end. */
export async function sync(pipelineId: string): Promise<Status> {
  const answer = await call('POST', `/api/v1/pipelines/${pipelineId}/sync`);
  if (answer.status !== 200) throw new Error(`sync: ${answer.status} ${JSON.stringify(answer.body)}`);
  return untilFinished(pipelineId);
}

export async function untilFinished(pipelineId: string, notJob: string | null = null): Promise<Status> {
  for (let waited = 0; waited < PATIENCE_MS; waited += 50) {
    const status = await statusOf(pipelineId);
    if (status.job_id !== notJob && FINISHED.has(status.status)) return status;
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
  throw new Error('the sync did not end');
}

export async function retrieve(
  pipelineId: string,
  query: string,
  parameters: Record<string, unknown> = {},
): Promise<RetrievedNode[]> {
  const answer = await call<{ retrieval_nodes: RetrievedNode[] }>(
    'POST',
    `/api/v1/pipelines/${pipelineId}/retrieve`,
    { body: { query, ...parameters } },
  );
  if (answer.status !== 200) throw new Error(`retrieve: ${answer.status} ${JSON.stringify(answer.body)}`);
  return answer.body.retrieval_nodes;
}
