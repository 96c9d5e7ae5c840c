import type { Bound, Options } from './options.ts';

/** Sends a request to the service and returns its answer. Throws if the service rejects the request. */
export type Request = <Answer>(method: string, path: string, body?: object) => Promise<Answer>;

interface Named {
  id: string;
  name: string;
}

export interface Run {
  id: string;
  name: string;
  status: string;
  error_message: string | null;
  question_count: number;
  question_set_version: number;
  summary: {
    completed_count: number;
    failed_count: number;
    scored_count: number;
    metrics: Record<string, number>;
  };
}

/** The run could not be started, or did not end. The message is one sentence for the user. */
export class EvaluationFailure extends Error {}

const UUID = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i;

export interface NewRun {
  question_set_id: string;
  pipeline_id?: string;
  retriever_id?: string;
  name?: string;
  retrieval_parameters: Record<string, unknown>;
  answer?: boolean;
  sample?: { half: 'development' | 'held_out'; share?: number };
}

/** Starts a run and waits for its end. `report` receives the run each time that it was read. */
export async function evaluate(
  options: Options,
  request: Request,
  report: (run: Run) => void,
  wait: Wait,
): Promise<Run> {
  const { target, project } = options;
  const [set, id] = await Promise.all([
    findSet(request, options.set, project),
    findTarget(request, target, project),
  ]);
  const body = {
    question_set_id: set,
    [`${target.kind}_id`]: id,
    retrieval_parameters: options.parameters,
    answer: options.answer,
  };
  return performRun(body, { request, report, wait, timeoutMs: options.timeoutMs });
}

export type Wait = (milliseconds: number) => Promise<void>;

/** Finds a question set by its id or name. */
export const findSet = (request: Request, name: string, project: string | undefined): Promise<string> =>
  findId('question set', name, async () => {
    const path = `/api/v1/evaluations/question-sets?${buildQuery({ name }, project)}`;
    return (await request<{ items: Named[] }>('GET', path)).items;
  });

/** Finds a pipeline or retriever by its id or name. */
export const findTarget = (
  request: Request,
  { kind, name }: Options['target'],
  project: string | undefined,
): Promise<string> =>
  findId(kind, name, () =>
    kind === 'pipeline'
      ? request<Named[]>('GET', `/api/v1/pipelines?${buildQuery({ pipeline_name: name }, project)}`)
      : request<Named[]>('GET', `/api/v1/retrievers?${buildQuery({ name }, project)}`),
  );

const buildQuery = (parameters: Record<string, string>, project: string | undefined) =>
  new URLSearchParams({ ...parameters, ...(project !== undefined && { project_id: project }) });

/** Starts a run and waits until all its questions are evaluated. */
export async function performRun(
  body: NewRun,
  {
    request,
    report,
    wait,
    timeoutMs,
  }: { request: Request; report: (run: Run) => void; wait: Wait; timeoutMs: number },
): Promise<Run> {
  const { id } = await request<Run>('POST', '/api/v1/evaluations/runs', body);
  for (let waited = 0, pause = 500; waited < timeoutMs; waited += pause) {
    const run = await request<Run>('GET', `/api/v1/evaluations/runs/${id}`);
    report(run);
    if (run.status === 'COMPLETED') return run;
    if (run.status !== 'PENDING' && run.status !== 'RUNNING') {
      throw new EvaluationFailure(
        `Run ${id} ended as ${run.status}${run.error_message ? `: ${run.error_message}` : '.'}`,
      );
    }
    pause = Math.min(5_000, pause * 1.5);
    await wait(pause);
  }
  throw new EvaluationFailure(
    `Run ${id} did not end within ${Math.round(timeoutMs / 1000)} seconds. It continues in the service.`,
  );
}

async function findId(kind: string, name: string, list: () => Promise<Named[]>): Promise<string> {
  if (UUID.test(name)) return name.toLowerCase();
  const found = (await list()).find((each) => each.name === name);
  if (found) return found.id;
  throw new EvaluationFailure(`The project has no ${kind} named '${name}'.`);
}

/** Returns the bounds that a run misses. A measure that no question has is missed too. */
export function findMissedBounds({ summary }: Run, bounds: readonly Bound[]): Bound[] {
  return bounds.filter(({ metric, kind, value }) => {
    const mean = summary.metrics[metric];
    return mean === undefined || (kind === 'at least' ? mean < value : mean > value);
  });
}

/** Formats the means of a run as a table, with the bounds of each measure. */
export function formatTable(run: Run, bounds: readonly Bound[]): string[] {
  const missed = findMissedBounds(run, bounds);
  const metrics = new Set([...Object.keys(run.summary.metrics), ...bounds.map(({ metric }) => metric)]);
  return [...metrics].map((metric) => {
    const mean = run.summary.metrics[metric];
    const value = mean === undefined ? '–' : metric.endsWith('_ms') ? mean.toFixed(0) : mean.toFixed(4);
    const own = bounds.filter((bound) => bound.metric === metric);
    const verdicts = own.map(
      (bound) => `${bound.kind} ${bound.value}: ${missed.includes(bound) ? 'MISSED' : 'ok'}`,
    );
    return `${metric.padEnd(18)} ${value.padStart(8)}  ${verdicts.join(', ')}`.trimEnd();
  });
}
