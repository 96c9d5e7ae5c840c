import { call } from './client.ts';
import { PATIENCE_MS } from './patience.ts';

export const TRUTH_SETS = '/api/v1/evaluations/truth-sets';
export const ACCURACY_RUNS = '/api/v1/evaluations/accuracy-runs';

export interface TruthBody {
  id: string;
  file_id: string;
  file_name: string;
  values: Record<string, unknown> | null;
  type: string | null;
  origin: string;
  job_id: string | null;
  is_affected: boolean;
}

export interface AccuracyRunBody {
  id: string;
  kind: string;
  name: string;
  status: string;
  file_count: number;
  truth_set_version: number;
  error_message: string | null;
  summary: { completed_count: number; failed_count: number; metrics: Record<string, number> } | null;
}

export interface AccuracyResultBody {
  file_id: string;
  file_name: string;
  status: string;
  error_message: string | null;
  metrics: Record<string, number> | null;
  differences: {
    field: string;
    kind: string;
    expected: unknown;
    actual: unknown;
    confidence: number | null;
  }[];
  type: string | null;
  confidence: number | null;
}

interface Caller {
  key?: string;
}

/** Creates a truth set with truths and returns its id. */
export async function createTruthSet(
  kind: 'extraction' | 'classification',
  truths: object[],
  caller: Caller = {},
): Promise<string> {
  const body = { kind, name: `set ${crypto.randomUUID()}` };
  const { id } = (await call<{ id: string }>('POST', TRUTH_SETS, { body, ...caller })).body;
  if (truths.length === 0) return id;
  const added = await call('POST', `${TRUTH_SETS}/${id}/truths`, { body: { truths }, ...caller });
  if (added.status !== 200) throw new Error(`add: ${added.status} ${JSON.stringify(added.body)}`);
  return id;
}

export async function listTruths(setId: string, query = '', caller: Caller = {}): Promise<TruthBody[]> {
  return (await call<{ items: TruthBody[] }>('GET', `${TRUTH_SETS}/${setId}/truths${query}`, caller)).body
    .items;
}

/** Starts an accuracy run and returns it when it has ended. */
export async function measureAccuracy(body: object, caller: Caller = {}): Promise<AccuracyRunBody> {
  const created = await call<AccuracyRunBody>('POST', ACCURACY_RUNS, { body, ...caller });
  if (created.status !== 200) throw new Error(`run: ${created.status} ${JSON.stringify(created.body)}`);
  return untilAccuracyRunEnds(created.body.id, caller);
}

export async function untilAccuracyRunEnds(id: string, caller: Caller = {}): Promise<AccuracyRunBody> {
  for (let waited = 0; waited < PATIENCE_MS; waited += 50) {
    const { body } = await call<AccuracyRunBody>('GET', `${ACCURACY_RUNS}/${id}`, caller);
    if (body.status !== 'PENDING' && body.status !== 'RUNNING') return body;
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
  throw new Error(`accuracy run ${id} did not end`);
}

export async function listAccuracyResults(id: string, query = ''): Promise<AccuracyResultBody[]> {
  const path = `${ACCURACY_RUNS}/${id}/results${query}`;
  return (await call<{ items: AccuracyResultBody[] }>('GET', path)).body.items;
}
