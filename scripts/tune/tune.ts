import { keepBetterHalf, planShares } from '#src/evaluation/halving.ts';
import { isLowerBetter } from '#src/evaluation/metrics.ts';
import {
  EvaluationFailure,
  findSet,
  findTarget,
  type NewRun,
  performRun,
  type Request,
  type Run,
  type Wait,
} from '../evaluate/evaluate.ts';
import type { Options } from './options.ts';

interface Pipeline {
  id: string;
  name: string;
}

export interface Candidate {
  name: string;
  pipelineId: string;
  parameters: Record<string, unknown>;
}

export interface Tuned {
  best: Candidate;
  isCurrent: boolean;
  /** Comparison of the best candidate with the current settings, by the questions that did not choose it. */
  comparison?: { verdict: string; summary: string; run_id: string };
}

export interface Tools {
  request: Request;
  wait: Wait;
  print: (line: string) => void;
}

/**
 * Searches for settings that improve a measure. The candidates are chosen with the development half of the questions.
 * The result is measured with the other half, because the best of many candidates is partly lucky.
 */
export async function tune(options: Options, tools: Tools): Promise<Tuned> {
  const { request, print } = tools;
  const { metric, project } = options;
  const setId = await findSet(request, options.set, project);
  const id = await findTarget(request, { kind: 'pipeline', name: options.pipeline }, project);
  const [set, pipeline] = await Promise.all([
    request<{ question_count: number }>('GET', `/api/v1/evaluations/question-sets/${setId}`),
    request<Pipeline>('GET', `/api/v1/pipelines/${id}`),
  ]);
  const count = 1 + options.alphas.length * options.reranking.length * (1 + options.chunkSizes.length);
  const developmentCount = Math.ceil(set.question_count / 2);
  const shares = planShares(count, developmentCount, options.budget - 2 * developmentCount);
  const copies: Pipeline[] = [];
  const measure = (candidate: Candidate, sample: NonNullable<NewRun['sample']>) =>
    performRun(
      {
        question_set_id: setId,
        pipeline_id: candidate.pipelineId,
        retrieval_parameters: candidate.parameters,
        name: `tune: ${candidate.name}`.slice(0, 200),
        sample,
      },
      { ...tools, report: () => {}, timeoutMs: options.timeoutMs },
    );
  try {
    for (const size of options.chunkSizes) copies.push(await indexCopy(pipeline, size, options, tools));
    const current: Candidate = { name: 'current settings', pipelineId: pipeline.id, parameters: {} };
    let remaining = [current, ...buildCandidates(options, [pipeline, ...copies])];
    for (const share of shares) {
      print(`${remaining.length} candidates, ${Math.round(share * 100)} % of the development questions`);
      const measured = [];
      for (const candidate of remaining) {
        const run = await measure(candidate, { half: 'development', share });
        const value = readMetric(run, options);
        print(`  ${value.toFixed(4)}  ${candidate.name}`);
        measured.push({ candidate, value });
        await request('DELETE', `/api/v1/evaluations/runs/${run.id}`);
      }
      remaining = keepBetterHalf(measured, isLowerBetter(metric));
    }
    const best = remaining[0]!;
    if (best === current) return { best, isCurrent: true };
    const baseline = await measure(current, { half: 'held_out' });
    const run = await measure(best, { half: 'held_out' });
    const query = new URLSearchParams({ with: baseline.id, metric });
    const comparison = await request<NonNullable<Tuned['comparison']>>(
      'GET',
      `/api/v1/evaluations/runs/${run.id}/compare?${query}`,
    );
    return { best, isCurrent: false, comparison };
  } finally {
    if (!options.keep) for (const copy of copies) await request('DELETE', `/api/v1/pipelines/${copy.id}`);
  }
}

/** Returns all combinations of the settings to try. */
function buildCandidates({ alphas, reranking }: Options, pipelines: Pipeline[]): Candidate[] {
  return pipelines.flatMap((pipeline, position) =>
    alphas.flatMap((alpha) =>
      reranking.map((enable_reranking) => ({
        name:
          `alpha ${alpha}, reranking ${enable_reranking ? 'on' : 'off'}` +
          (position > 0 ? `, ${pipeline.name}` : ''),
        pipelineId: pipeline.id,
        parameters: { alpha, enable_reranking },
      })),
    ),
  );
}

function readMetric({ id, summary }: Run, { metric }: Options): number {
  const value = summary.metrics[metric];
  if (value === undefined) throw new EvaluationFailure(`No question of run ${id} has the measure ${metric}.`);
  return value;
}

/** Copies a pipeline, indexes the copy with other chunks and waits until it can be searched. */
async function indexCopy(
  pipeline: Pipeline,
  size: number,
  { timeoutMs }: Options,
  { request, wait, print }: Tools,
): Promise<Pipeline> {
  const { id } = await request<Pipeline>('POST', `/api/v1/pipelines/${pipeline.id}/copy`);
  const copy = await request<Pipeline>('PUT', `/api/v1/pipelines/${id}`, {
    name: `${pipeline.name}, chunk size ${size}`,
    transform_config: { mode: 'auto', chunk_size: size },
  });
  print(`indexing ${copy.name}`);
  await request('POST', `/api/v1/pipelines/${id}/sync`);
  const pause = 1_000;
  for (let waited = 0; waited < timeoutMs; waited += pause) {
    const { status } = await request<{ status: string }>('GET', `/api/v1/pipelines/${id}/status`);
    if (/SUCCESS/.test(status)) return copy;
    if (/ERROR|CANCELLED/.test(status)) throw new EvaluationFailure(`${copy.name} could not be indexed.`);
    await wait(pause);
  }
  throw new EvaluationFailure(`${copy.name} was not indexed within ${timeoutMs / 1000} seconds.`);
}
