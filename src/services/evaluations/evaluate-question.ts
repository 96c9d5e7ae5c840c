import type { ChatAnswer } from '#src/chat/job.ts';
import { answerOnce } from '#src/chat/sessions/stateless.ts';
import type { Context, TenantContext } from '#src/context/context.ts';
import type {
  AnswerMeasures,
  EvaluationResult,
  EvaluationRun,
  RetrievedChunk,
} from '#src/db/schema/index.ts';
import { matchResults } from '#src/evaluation/match-results.ts';
import { containsKeyContent } from '#src/evaluation/measure-answer.ts';
import { NotFound } from '#src/lib/errors.ts';
import type { RankedChunk } from '#src/retrieval/index.ts';
import { getTarget } from '#src/retrieval/retrieval.ts';
import { getRetriever } from '#src/retrieval/retrievers.ts';
import { finishRetrievalRun } from './finish-run.ts';
import { countExpectations } from './input.ts';
import { asCaller, measureSearch, readParameters } from './measure-search.ts';
import { type Runner, TargetMissing } from './runner.ts';

/** Maximum number of retrieved chunks that a result shows. */
const MAX_SHOWN_CHUNKS = 20;
/** Maximum number of characters of an answer that a result shows. */
const MAX_ANSWER_CHARACTERS = 4_000;
const MAX_TITLE_CHARACTERS = 300;

type Evaluated = Pick<EvaluationResult, 'metrics' | 'retrieved' | 'answer'>;

/** Throws NotFound if the pipeline or retriever of a run does not exist or is not accessible. */
async function requireTarget(ctx: Context, run: EvaluationRun): Promise<void> {
  const caller = asCaller(ctx, run);
  if (run.pipelineId) await getTarget(caller, run.pipelineId);
  else await getRetriever(caller, run.retrieverId!);
}

/** Searches, and answers if the run asks for it. Returns the measures of the question. */
async function evaluateQuestion(
  ctx: Context,
  run: EvaluationRun,
  question: EvaluationResult,
  signal: AbortSignal,
): Promise<Evaluated> {
  const caller = asCaller(ctx, run);
  const { ranked, matched, metrics } = await measureSearch(caller, run, question);
  const answer = run.hasAnswers ? await measureAnswer(caller, run, question, signal) : null;
  return {
    metrics: { ...metrics, ...(answer && buildAnswerMetrics(answer, question)) },
    retrieved: ranked
      .slice(0, MAX_SHOWN_CHUNKS)
      .map((each, index) => toRetrieved(each, matched.chunkRelevances[index] ?? 0)),
    answer,
  };
}

const toRetrieved = ({ chunk, score }: RankedChunk, relevance: number): RetrievedChunk => ({
  chunk_id: chunk.id,
  document_id: chunk.documentId,
  title: chunk.title.slice(0, MAX_TITLE_CHARACTERS),
  page: chunk.startPage === undefined ? null : chunk.startPage + 1,
  score,
  relevance,
});

async function measureAnswer(
  caller: TenantContext,
  run: EvaluationRun,
  question: EvaluationResult,
  signal: AbortSignal,
): Promise<AnswerMeasures> {
  const corpus = run.pipelineId ? { pipeline_id: run.pipelineId } : { retriever_id: run.retrieverId! };
  const start = performance.now();
  const parameters = readParameters(run);
  const answer = await answerOnce(caller, corpus, question.text, parameters, { requestId: run.id, signal });
  return {
    text: answer.text.slice(0, MAX_ANSWER_CHARACTERS),
    said: question.expectedAnswer === null ? null : containsKeyContent(answer.text, question.expectedAnswer),
    cited: countExpectations(question.expectations) === 0 ? null : citesExpected(answer, question),
    // Prompts ask a model to cite nothing if the documents do not answer the question.
    refused: answer.citations.length === 0,
    latency_ms: Math.round(performance.now() - start),
    input_tokens: answer.usage?.input ?? null,
    output_tokens: answer.usage?.output ?? null,
  };
}

function citesExpected({ citations, sources }: ChatAnswer, { expectations }: EvaluationResult): boolean {
  const cited = new Set(citations.map(({ sourceId }) => sourceId));
  const chunks = sources.flatMap(({ sourceId, providerMetadata: { sluice } }) =>
    cited.has(sourceId)
      ? [
          {
            documentId: sluice.document_id,
            text: sluice.text,
            startPage: sluice.start_page_index ?? undefined,
            endPage: sluice.end_page_index ?? undefined,
          },
        ]
      : [],
  );
  return matchResults(chunks, expectations).chunkRelevances.some((relevance) => relevance > 0);
}

function buildAnswerMetrics(answer: AnswerMeasures, question: EvaluationResult): Record<string, number> {
  return {
    ...(answer.said !== null && { said: Number(answer.said) }),
    ...(answer.cited !== null && { cited: Number(answer.cited) }),
    refused_correctly: Number(answer.refused === question.expectsRefusal),
    answer_latency_ms: answer.latency_ms,
  };
}

/** Evaluates the questions of a retrieval run. */
export const retrievalRunner: Runner<EvaluationRun, EvaluationResult> = {
  kind: 'retrieval',
  noun: 'question',
  // The number is small, so that jobs in the same queue do not wait long.
  itemsPerMessage: 20,
  timeoutMs: 10 * 60_000,
  getItemId: ({ questionId }) => questionId,
  requireTarget: (ctx, run) =>
    requireTarget(ctx, run).catch((error: unknown) => {
      if (!(error instanceof NotFound)) throw error;
      throw new TargetMissing(
        `The ${run.pipelineId ? 'pipeline' : 'retriever'} was deleted or is not accessible any more.`,
      );
    }),
  evaluate: (ctx, run, question, hold) => evaluateQuestion(ctx, run, question, hold.signal),
  finish: finishRetrievalRun,
};
