import type { TraceRow } from '#src/db/schema/index.ts';
import type { StoredAnswer, TraceDetails } from '#src/services/traces/details.ts';
import { type Attributes, type OtlpAttribute, toAttributes } from './attributes.ts';

/** Kinds of spans in the OpenTelemetry protocol. */
const INTERNAL = 1;
const CLIENT = 3;
const STATUS_ERROR = 2;

/** Span of the OpenTelemetry protocol in its JSON form, in which ids are hexadecimal and 64-bit numbers are strings. */
export interface OtlpSpan {
  traceId: string;
  spanId: string;
  parentSpanId?: string;
  name: string;
  kind: number;
  startTimeUnixNano: string;
  endTimeUnixNano: string;
  attributes: OtlpAttribute[];
  status?: { code: number; message?: string };
}

/** Trace that was recorded with details. `modelProvider` is the provider of the chat model if there is one. */
export type RecordedTrace = TraceRow & { details: TraceDetails; modelProvider?: string | undefined };

/** Steps of a retrieval in their order, by the names of their durations. */
const STAGES = 'route infer_filters embedding search choose_files read_files rerank openings'.split(' ');
/** Steps of the search, in their order. An external vector store answers first. */
const SEARCH_STAGES = 'store filter dense sparse chunks'.split(' ');

/**
 * Converts a trace to spans that follow the semantic conventions for generative AI. A retrieval is a span with a child
 * for each step that was measured. A chat answer is a workflow with a span for the retrieval and one for the model.
 */
export function buildSpans(trace: RecordedTrace): OtlpSpan[] {
  const { details } = trace;
  const { answer } = details;
  const traceId = details.w3c_trace_id ?? trace.id.replaceAll('-', '');
  const start = trace.createdAt.getTime();
  const end = start + (trace.durationMs ?? 0);
  if (trace.kind === 'retrieval' || !answer) {
    const only = buildSpan(
      traceId,
      'retrieval',
      INTERNAL,
      [start, end],
      describeRetrieval(trace, true),
      trace,
    );
    return [only, ...buildStages(trace, only, [start, end])];
  }
  const root = buildSpan(
    traceId,
    'invoke_workflow sluice.chat',
    INTERNAL,
    [start, end],
    describeChat(trace),
    trace,
  );
  const searched = Math.min(end, start + 1000 * (answer.timings.search ?? (end - start) / 1000));
  const parentSpanId = root.spanId;
  const retrieval = buildSpan(
    traceId,
    'retrieval',
    INTERNAL,
    [start, searched],
    describeRetrieval(trace, false),
  );
  const stages = buildStages(trace, retrieval, [start, searched]);
  if (answer.timings.search === undefined) return [root, { ...retrieval, parentSpanId }, ...stages];
  const isBuiltin = answer.messages.length === 0;
  const model = buildSpan(
    traceId,
    `chat ${answer.model}`,
    isBuiltin ? INTERNAL : CLIENT,
    [searched, end],
    describeModelCall(trace, answer),
    trace,
  );
  return [root, { ...retrieval, parentSpanId }, { ...model, parentSpanId }, ...stages];
}

/**
 * Builds a span for each measured step of a retrieval, and for each step of its search. The retrieval is the last part
 * of its span, after the question of a chat was rewritten.
 */
function buildStages(
  { details }: RecordedTrace,
  parent: OtlpSpan,
  [start, end]: [number, number],
): OtlpSpan[] {
  const { total = (end - start) / 1000 } = details.latency;
  const begin = Math.max(start, end - 1000 * total);
  return placeSteps(STAGES, details, [begin, end]).flatMap(({ stage, time }) => {
    const span = buildStep(details, parent, stage, time);
    if (stage !== 'search') return [span];
    const parts = placeSteps(SEARCH_STAGES, details, time);
    return [span, ...parts.map((part) => buildStep(details, span, `search ${part.stage}`, part.time))];
  });
}

/**
 * Returns the start and end of each measured step. Traces have the durations of the steps but not their start times, so
 * the steps follow each other. None ends after its parent.
 */
function placeSteps(
  stages: readonly string[],
  { latency }: TraceDetails,
  [start, end]: [number, number],
): { stage: string; time: [number, number] }[] {
  let at = start;
  return stages.flatMap((stage) => {
    const seconds = latency[stage];
    if (seconds === undefined) return [];
    const from = at;
    at = Math.min(end, from + 1000 * seconds);
    return { stage, time: [from, at] as [number, number] };
  });
}

function buildStep(
  { notes }: TraceDetails,
  { traceId, spanId: parentSpanId }: OtlpSpan,
  stage: string,
  time: [number, number],
): OtlpSpan {
  const step = { 'sluice.retrieval.step': stage };
  if (stage !== 'embedding') return { ...buildSpan(traceId, stage, INTERNAL, time, step), parentSpanId };
  const { embedding: model } = notes;
  const attributes = {
    ...step,
    'gen_ai.operation.name': 'embeddings',
    'gen_ai.provider.name': 'sluice',
    'gen_ai.request.model': model,
  };
  const name = model ? `embeddings ${model}` : 'embeddings';
  return { ...buildSpan(traceId, name, INTERNAL, time, attributes), parentSpanId };
}

function buildSpan(
  traceId: string,
  name: string,
  kind: number,
  [start, end]: [number, number],
  attributes: Attributes,
  failing?: RecordedTrace,
): OtlpSpan {
  const code = failing?.errorCode;
  return {
    traceId,
    spanId: createSpanId(),
    name,
    kind,
    startTimeUnixNano: toNanoseconds(start),
    endTimeUnixNano: toNanoseconds(end),
    attributes: toAttributes({ ...attributes, 'error.type': code ?? undefined }),
    ...(code && { status: { code: STATUS_ERROR, message: code } }),
  };
}

function createSpanId(): string {
  const bytes = crypto.getRandomValues(new Uint8Array(8));
  return Array.from(bytes, (byte) => byte.toString(16).padStart(2, '0')).join('');
}

/** Keeps microseconds, because steps may take less than a millisecond. */
const toNanoseconds = (milliseconds: number) => String(BigInt(Math.round(milliseconds * 1000)) * 1000n);

/** Attributes that identify a trace in Sluice. Only the root span has them. */
const describeTrace = (trace: RecordedTrace): Attributes => ({
  'sluice.trace.id': trace.id,
  'sluice.request.id': trace.requestId ?? undefined,
  'sluice.project.id': trace.projectId,
  'sluice.pipeline.id': trace.pipelineId ?? undefined,
  'sluice.retriever.id': trace.retrieverId ?? undefined,
  'enduser.id': trace.userId ?? undefined,
});

function describeRetrieval(trace: RecordedTrace, isRoot: boolean): Attributes {
  const { candidates, latency, answer, parameters } = trace.details;
  const results = candidates
    .filter(({ rank_after }) => rank_after !== null)
    .toSorted((a, b) => a.rank_after! - b.rank_after!);
  const documents = results.map(({ chunk_id, rerank, fused }) => ({ id: chunk_id, score: rerank ?? fused }));
  const topN = parameters.rerank_top_n;
  return {
    ...(isRoot && describeTrace(trace)),
    'gen_ai.operation.name': 'retrieval',
    'gen_ai.provider.name': 'sluice',
    'gen_ai.data_source.id': trace.pipelineId ?? trace.retrieverId ?? undefined,
    'gen_ai.retrieval.top_k': typeof topN === 'number' ? topN : undefined,
    'gen_ai.retrieval.query.text': answer?.condensed_question ?? trace.question ?? undefined,
    'gen_ai.retrieval.documents': JSON.stringify(documents),
    'sluice.retrieval.candidates': candidates.length,
    ...Object.fromEntries(
      Object.entries(latency).map(([stage, seconds]) => [`sluice.retrieval.${stage}.seconds`, seconds]),
    ),
  };
}

const describeChat = (trace: RecordedTrace): Attributes => {
  const answer = trace.details.answer!;
  return {
    ...describeTrace(trace),
    'gen_ai.operation.name': 'invoke_workflow',
    'gen_ai.workflow.name': 'sluice.chat',
    'gen_ai.conversation.id': trace.sessionId ?? undefined,
    'gen_ai.input.messages':
      trace.question === null ? undefined : toMessages([{ role: 'user', text: trace.question }]),
    'gen_ai.output.messages': toOutput(answer),
    'sluice.answer.status': answer.status,
    'sluice.answer.refused': trace.isRefused,
    'sluice.answer.citations': answer.citations.length,
    'sluice.answer.removed_citations': answer.removed_citations.length,
  };
};

function describeModelCall(trace: RecordedTrace, answer: StoredAnswer): Attributes {
  const shown = answer.messages.filter(({ text }) => text !== null) as { role: string; text: string }[];
  const system = shown.filter(({ role }) => role === 'system');
  const others = shown.filter(({ role }) => role !== 'system');
  return {
    'gen_ai.operation.name': 'chat',
    'gen_ai.provider.name': answer.messages.length > 0 ? (trace.modelProvider ?? 'sluice') : 'sluice',
    'gen_ai.request.model': answer.model,
    'gen_ai.conversation.id': trace.sessionId ?? undefined,
    'gen_ai.response.finish_reasons': answer.finish_reason ? [answer.finish_reason] : undefined,
    'gen_ai.usage.input_tokens': answer.input_tokens ?? undefined,
    'gen_ai.usage.output_tokens': answer.output_tokens ?? undefined,
    'gen_ai.system_instructions':
      system.length > 0
        ? JSON.stringify(system.map(({ text }) => ({ type: 'text', content: text })))
        : undefined,
    'gen_ai.input.messages': others.length > 0 ? toMessages(others) : undefined,
    'gen_ai.output.messages': toOutput(answer),
    'sluice.answer.cost': answer.cost ?? undefined,
  };
}

const toMessages = (messages: readonly { role: string; text: string }[]) =>
  JSON.stringify(messages.map(({ role, text }) => ({ role, parts: [{ type: 'text', content: text }] })));

function toOutput({ text, finish_reason }: StoredAnswer): string | undefined {
  if (text === null) return undefined;
  const parts = [{ type: 'text', content: text }];
  return JSON.stringify([{ role: 'assistant', parts, finish_reason: finish_reason ?? 'error' }]);
}
