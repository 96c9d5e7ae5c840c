import { call } from './client.ts';
import { PATIENCE_MS } from './patience.ts';

export const SETS = '/api/v1/evaluations/question-sets';
export const RUNS = '/api/v1/evaluations/runs';

export interface QuestionSetBody {
  id: string;
  name: string;
  version: number;
  question_count: number;
}

export interface QuestionBody {
  id: string;
  text: string;
  tags: string[];
  origin: string;
  external_id: string | null;
  expected_passages: { text: string }[];
  expected_pages: { document_id: string; page: number; relevance: number }[];
  expected_documents: { document_id: string; relevance: number }[];
  expected_answer: string | null;
  expects_refusal: boolean;
  is_affected: boolean;
  affected_documents: { document_id: string; name: string }[];
}

export interface RunBody {
  id: string;
  name: string;
  status: string;
  target_name: string;
  pipeline_id: string | null;
  question_set_version: number;
  question_count: number;
  error_message: string | null;
  is_scheduled: boolean;
  report: {
    is_regression: boolean;
    missed: { metric: string; limit: number; value: number | null }[];
    comparison: { baseline_run_id: string; verdict: string } | null;
    summary: string;
  } | null;
  summary: {
    completed_count: number;
    failed_count: number;
    scored_count: number;
    metrics: Record<string, number>;
  } | null;
}

export interface ResultBody {
  question_id: string;
  position: number;
  text: string;
  status: string;
  error_message: string | null;
  metrics: Record<string, number> | null;
  retrieved: { document_id: string; relevance: number }[] | null;
  answer: { text: string; said: boolean | null; cited: boolean | null; refused: boolean } | null;
}

interface Caller {
  key?: string;
}

/** Creates a question set with questions and returns its id. */
export async function createQuestionSet(questions: object[], caller: Caller = {}): Promise<string> {
  const body = { name: `set ${crypto.randomUUID()}` };
  const { id } = (await call<QuestionSetBody>('POST', SETS, { body, ...caller })).body;
  if (questions.length === 0) return id;
  const added = await call('POST', `${SETS}/${id}/questions`, { body: { questions }, ...caller });
  if (added.status !== 200) throw new Error(`add: ${added.status} ${JSON.stringify(added.body)}`);
  return id;
}

export async function listQuestions(setId: string, query = '', caller: Caller = {}): Promise<QuestionBody[]> {
  const page = await call<{ items: QuestionBody[] }>('GET', `${SETS}/${setId}/questions${query}`, caller);
  return page.body.items;
}

export async function startRun(body: object, caller: Caller = {}): Promise<RunBody> {
  const created = await call<RunBody>('POST', RUNS, { body, ...caller });
  if (created.status !== 200) throw new Error(`run: ${created.status} ${JSON.stringify(created.body)}`);
  return created.body;
}

export async function untilRunEnds(id: string, caller: Caller = {}): Promise<RunBody> {
  for (let waited = 0; waited < PATIENCE_MS; waited += 50) {
    const { body } = await call<RunBody>('GET', `${RUNS}/${id}`, caller);
    if (body.status !== 'PENDING' && body.status !== 'RUNNING') return body;
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
  throw new Error(`evaluation run ${id} did not end`);
}

export async function listResults(id: string, query = '', caller: Caller = {}): Promise<ResultBody[]> {
  return (await call<{ items: ResultBody[] }>('GET', `${RUNS}/${id}/results${query}`, caller)).body.items;
}

export interface ScheduleBody {
  question_set_id: string;
  next_run_at: string | null;
  paused: boolean;
  keep_runs: number;
}

export const putSchedule = (setId: string, body: object, caller: Caller = {}) =>
  call<ScheduleBody>('PUT', `${SETS}/${setId}/schedule`, { body, ...caller });

export async function listRuns(setId: string, caller: Caller = {}): Promise<RunBody[]> {
  const query = `?question_set_id=${setId}`;
  return (await call<{ items: RunBody[] }>('GET', `${RUNS}${query}`, caller)).body.items;
}
