import { describe, expect, inject, it } from 'vitest';
import type { Context } from '#src/context/context.ts';
import { takePending } from '#src/metrics/meter.ts';
import { buildDetails } from '#src/services/traces/details.ts';
import type { TraceCandidate, TraceDraft } from '#src/services/traces/draft.ts';
import { type buildRequest, exportTraceLater } from '#src/services/traces/otlp/export.ts';
import type { RecordedTrace } from '#src/services/traces/otlp/spans.ts';

const loopback = inject('loopback');

const CANDIDATE: TraceCandidate = {
  ...{ chunkId: 'chunk-1', documentId: 'gulls', pipelineId: crypto.randomUUID(), hash: 'h' },
  ...{ startChar: 0, endChar: 9, metadata: {}, rankBefore: 2, rankAfter: 1 },
  ...{ fused: 1, dense: 0.5, sparse: 3, rerank: 1 },
};

const DRAFT: TraceDraft = {
  ...{
    id: crypto.randomUUID(),
    kind: 'chat',
    projectId: crypto.randomUUID(),
    pipelineId: crypto.randomUUID(),
  },
  ...{ retrieverId: null, sessionId: crypto.randomUUID(), userId: crypto.randomUUID(), keyId: null },
  ...{
    requestId: 'request',
    startedAt: Date.UTC(2026, 0, 1),
    durationMs: 2_500,
    question: 'Where do gulls nest?',
  },
  candidates: [CANDIDATE],
  notes: { embedding: 'some-embedder' },
  latency: { rerank: 0.3004, embedding: 0.2, search: 0, total: 0.7 },
  parameters: { rerank_top_n: 6 },
  answer: {
    ...{ status: 'complete', model: 'some-model', text: 'On roofs [1].', finishReason: 'stop' },
    ...{ inputTokens: 120, outputTokens: 7, passageCount: 1, isRefused: false },
    messages: [
      { role: 'system', text: 'Answer from {passage 1}' },
      { role: 'user', text: 'Where do gulls nest?' },
    ],
    citations: [{ number: 1, chunkId: 'chunk-1' }],
    dropped: [],
    timings: { search: 1, first_text: 1.5, total: 2.5 },
  },
};

function record(draft: TraceDraft, recordText: boolean, errorCode: string | null = null): RecordedTrace {
  const { id, kind, projectId, pipelineId, retrieverId, sessionId, userId, keyId, requestId } = draft;
  return {
    ...{ id, kind, projectId, pipelineId, retrieverId, sessionId, userId, keyId, requestId, errorCode },
    ...{ question: recordText ? draft.question : null, durationMs: draft.durationMs, isRefused: false },
    ...{ rating: null, comment: null, ratedAt: null, createdAt: new Date(draft.startedAt) },
    details: buildDetails(draft, { recordText, redactWhere: null }, 0.002),
  };
}

/** Exports traces to a collector. Returns what it received, the counts, and what was logged. */
async function send(traces: RecordedTrace[], failures = 0, settings: object = {}) {
  takePending();
  const id = crypto.randomUUID();
  const logged: object[] = [];
  const work: Promise<unknown>[] = [];
  const ctx = {
    settings: {
      ALLOW_PRIVATE_ADDRESSES: false,
      OTEL_EXPORTER_OTLP_ENDPOINT: `${loopback}/collector/${failures}/${id}/`,
      ...settings,
    },
    log: { warn: (message: string, facts: object) => logged.push({ message, ...facts }) },
    metrics: { flush() {} },
    defer: (each: Promise<unknown>) => work.push(each),
  } as unknown as Context;
  for (const trace of traces) exportTraceLater(ctx, trace);
  await Promise.all(work);
  const seen = (await (await fetch(`${loopback}/seen?id=${id}`)).json()) as {
    headers: Record<string, string>;
    body: string;
  }[];
  const counts = takePending()
    .filter(({ name }) => name === 'sluice_trace_exports_total')
    .map(({ labels, values }) => [labels[0], values[0]]);
  return { seen, logged, counts: Object.fromEntries(counts) as Record<string, number> };
}

const listSpans = (body: string) => {
  const request = JSON.parse(body) as ReturnType<typeof buildRequest>;
  return request.resourceSpans[0]!.scopeSpans[0]!.spans.map((span) => ({
    ...span,
    attributes: Object.fromEntries(span.attributes.map(({ key, value }) => [key, Object.values(value)[0]])),
  }));
};

describe('traces', () => {
  it('are sent as spans that the protocol and the conventions for generative AI define', async () => {
    const headers = { OTEL_EXPORTER_OTLP_HEADERS: 'authorization=Basic%20abc, x-team = birds,broken' };
    const { seen, counts, logged } = await send(
      [{ ...record(DRAFT, true), modelProvider: 'aws.bedrock' }],
      0,
      headers,
    );
    expect(logged).toEqual([]);
    expect(counts).toEqual({ sent: 1 });
    expect(seen).toHaveLength(1);
    expect(seen[0]!.headers).toMatchObject({
      authorization: 'Basic abc',
      'x-team': 'birds',
      'content-type': 'application/json',
    });
    const [workflow, retrieval, model, ...steps] = listSpans(seen[0]!.body);
    expect(workflow).toMatchObject({
      name: 'invoke_workflow sluice.chat',
      attributes: { 'sluice.trace.id': DRAFT.id, 'gen_ai.conversation.id': DRAFT.sessionId },
    });
    expect(retrieval).toMatchObject({
      name: 'retrieval',
      parentSpanId: workflow!.spanId,
      attributes: {
        'gen_ai.operation.name': 'retrieval',
        'gen_ai.data_source.id': DRAFT.pipelineId,
        'gen_ai.retrieval.query.text': DRAFT.question,
        'gen_ai.retrieval.documents': '[{"id":"chunk-1","score":1}]',
        'gen_ai.retrieval.top_k': '6',
        'sluice.retrieval.search.seconds': 0,
      },
    });
    expect(model).toMatchObject({
      name: 'chat some-model',
      kind: 3,
      parentSpanId: workflow!.spanId,
      startTimeUnixNano: retrieval!.endTimeUnixNano,
      endTimeUnixNano: workflow!.endTimeUnixNano,
      attributes: {
        'gen_ai.provider.name': 'aws.bedrock',
        'gen_ai.request.model': 'some-model',
        'gen_ai.usage.input_tokens': '120',
        'gen_ai.usage.output_tokens': '7',
        'gen_ai.system_instructions': '[{"type":"text","content":"Answer from {passage 1}"}]',
        'gen_ai.output.messages':
          '[{"role":"assistant","parts":[{"type":"text","content":"On roofs [1]."}],"finish_reason":"stop"}]',
        'sluice.answer.cost': 0.002,
      },
    });
    // The retrieval ends one second after the start, and its steps follow each other in their order.
    const start = Date.UTC(2026, 0, 1);
    const times = (from: number, to: number) => ({
      startTimeUnixNano: String(BigInt(Math.round((start + from) * 1000)) * 1000n),
      endTimeUnixNano: String(BigInt(Math.round((start + to) * 1000)) * 1000n),
    });
    const parentSpanId = retrieval!.spanId;
    expect(steps).toMatchObject([
      {
        ...{ name: 'embeddings some-embedder', parentSpanId, ...times(300, 500) },
        attributes: {
          'gen_ai.operation.name': 'embeddings',
          'gen_ai.provider.name': 'sluice',
          'gen_ai.request.model': 'some-embedder',
        },
      },
      { name: 'search', parentSpanId, ...times(500, 500) },
      { name: 'rerank', parentSpanId, ...times(500, 800.4) },
    ]);
    expect(new Set([workflow, retrieval, model, ...steps].map((each) => each!.spanId)).size).toBe(6);
  });

  it('of a retrieval have its steps as children, which never end after it', async () => {
    const { answer: _, ...draft } = DRAFT;
    const latency = { route: 2, sparse: 0.1, dense: 0.2, search: 9, total: 2.5 };
    const { seen } = await send([record({ ...draft, kind: 'retrieval', latency }, true)]);
    const [retrieval, ...steps] = listSpans(seen[0]!.body);
    expect(steps.map(({ name, parentSpanId }) => [name, parentSpanId])).toEqual([
      ['route', retrieval!.spanId],
      ['search', retrieval!.spanId],
      ['search dense', steps[1]!.spanId],
      ['search sparse', steps[1]!.spanId],
    ]);
    expect(steps[1]).toMatchObject({
      startTimeUnixNano: steps[0]!.endTimeUnixNano,
      endTimeUnixNano: retrieval!.endTimeUnixNano,
    });
  });

  it('are sent without texts unless the project records texts', async () => {
    const { seen, counts } = await send([record(DRAFT, false)]);
    expect(counts).toEqual({ sent: 1 });
    expect(seen[0]!.body).not.toMatch(/gulls nest|roofs|Answer from/);
    expect(seen[0]!.body).toContain('gen_ai.usage.input_tokens');
  });

  it('that failed have the status and type of the error', async () => {
    const { answer: _, ...draft } = DRAFT;
    const failed = record({ ...draft, kind: 'retrieval', latency: {} }, false, 'conflict');
    const { seen, counts } = await send([failed]);
    expect(counts).toEqual({ sent: 1 });
    expect(listSpans(seen[0]!.body)).toMatchObject([
      { name: 'retrieval', status: { code: 2 }, attributes: { 'error.type': 'conflict' } },
    ]);
  });

  it('are sent together, and once more after a temporary failure', async () => {
    const { seen, counts } = await send([record(DRAFT, true), record(DRAFT, true)], 1);
    expect(counts).toEqual({ sent: 2 });
    expect(seen).toHaveLength(2);
    expect(listSpans(seen[1]!.body)).toHaveLength(12);
  });

  it('are counted and logged if the collector keeps failing or refuses a span', async () => {
    const failing = await send([record(DRAFT, true)], 9);
    expect(failing.counts).toEqual({ failed: 1 });
    expect(failing.seen).toHaveLength(2);
    expect(failing.logged).toMatchObject([{ message: 'exporting traces failed' }]);
    const trace = record(DRAFT, true);
    const invalid = { ...trace, details: { ...trace.details, w3c_trace_id: 'no hexadecimal id' } };
    const refused = await send([invalid]);
    expect(refused.counts).toEqual({ failed: 1 });
    expect(refused.seen).toHaveLength(1);
  });

  it('beyond the number that may wait are dropped', async () => {
    const traces = Array.from({ length: 510 }, () => record({ ...DRAFT, candidates: [] }, false));
    const { counts } = await send(traces);
    expect(counts).toEqual({ sent: 500, dropped: 10 });
  });

  it('are not sent unless an endpoint is configured', async () => {
    const { seen, counts } = await send([record(DRAFT, true)], 0, { OTEL_EXPORTER_OTLP_ENDPOINT: undefined });
    expect(seen).toEqual([]);
    expect(counts).toEqual({});
  });
});
