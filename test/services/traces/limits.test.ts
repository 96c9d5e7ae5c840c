import { env } from 'cloudflare:workers';
import { eq } from 'drizzle-orm';
import { describe, expect, it } from 'vitest';
import { createContext } from '#src/context/context.ts';
import { openDatabase } from '#src/db/client.ts';
import { type TraceRow, traceSettings, traces } from '#src/db/schema/index.ts';
import { DAY_MS } from '#src/lib/day.ts';
import { removeExpiredOfInstallation } from '#src/services/retention/installation.ts';
import { buildDetails } from '#src/services/traces/details.ts';
import type { TraceCandidate, TraceDraft } from '#src/services/traces/draft.ts';
import { insertTrace, MAX_PER_MINUTE, shouldRecord } from '#src/services/traces/record.ts';
import { createTenant } from '#test/support/tenants.ts';

const db = openDatabase(env.DB);
const ctx = createContext(env, { waitUntil() {} });
const MINUTE = new Date(Date.UTC(2026, 0, 5, 12, 30));

const row = (projectId: string, createdAt: Date): TraceRow => ({
  ...{ id: crypto.randomUUID(), projectId, kind: 'retrieval', createdAt, details: {}, isRefused: false },
  ...{ pipelineId: null, retrieverId: null, sessionId: null, userId: null, keyId: null, requestId: null },
  ...{ question: null, durationMs: 1, errorCode: null, rating: null, comment: null, ratedAt: null },
});

const candidate = (rank: number): TraceCandidate => ({
  ...{ chunkId: crypto.randomUUID(), documentId: crypto.randomUUID(), pipelineId: crypto.randomUUID() },
  ...{ hash: 'h'.repeat(64), startChar: 0, endChar: 9, metadata: {}, rankBefore: rank, rankAfter: null },
  ...{ fused: 0.5, dense: 0.5, sparse: 0.5, rerank: null },
});

const draft = (more: Partial<TraceDraft>): TraceDraft => ({
  ...{ id: 'a', kind: 'chat', projectId: 'p', pipelineId: null, retrieverId: null, sessionId: null },
  ...{ userId: null, keyId: null, requestId: null, startedAt: 0, durationMs: 1, question: 'q' },
  ...{ candidates: [], notes: {}, latency: {} },
  ...more,
});

describe('the limits of traces', () => {
  it('store a number of traces per project and minute in all isolates together', async () => {
    const { projectId } = await createTenant();
    const stored = [];
    for (let count = 0; count < MAX_PER_MINUTE + 5; count += 1)
      stored.push(await insertTrace(ctx, row(projectId, MINUTE)));
    expect(stored.filter(Boolean)).toHaveLength(MAX_PER_MINUTE);
    expect(await db.$count(traces, eq(traces.projectId, projectId))).toBe(MAX_PER_MINUTE);
    expect(await insertTrace(ctx, row(projectId, new Date(MINUTE.getTime() + 60_000)))).toBe(true);
    const other = await createTenant();
    expect(await insertTrace(ctx, row(other.projectId, MINUTE))).toBe(true);
  });

  it('begin no more traces than an isolate may store, and none without sampling', () => {
    const settings = { projectId: crypto.randomUUID(), sampleRate: 1 };
    const begun = Array.from({ length: 3 * MAX_PER_MINUTE }, () => shouldRecord(settings));
    // The loop may cross the boundary of one minute.
    expect(begun.filter(Boolean).length).toBeLessThanOrEqual(2 * MAX_PER_MINUTE);
    expect(begun.filter(Boolean).length).toBeGreaterThanOrEqual(MAX_PER_MINUTE);
    expect(shouldRecord({ projectId: crypto.randomUUID(), sampleRate: 0 })).toBe(false);
  });

  it('bound the size of the details, and keep the results', () => {
    const text = 'long '.repeat(60_000);
    const candidates = Array.from({ length: 400 }, (_, index) => ({
      ...candidate(index + 1),
      rankAfter: index < 3 ? index + 1 : null,
    }));
    const details = buildDetails(
      draft({
        candidates,
        notes: { note: text },
        answer: {
          ...{ status: 'complete', model: 'm', text, passageCount: 3, isRefused: false, timings: {} },
          messages: Array.from({ length: 200 }, () => ({ role: 'user', text })),
          citations: [{ number: 1, chunkId: 'c' }],
          dropped: [],
        },
      }),
      { recordText: true, redactWhere: null },
      undefined,
    );
    expect(JSON.stringify(details).length).toBeLessThan(129 * 1024);
    expect(details.is_truncated).toBe(true);
    expect(details.candidates.map(({ rank_after }) => rank_after)).toEqual([1, 2, 3]);
  });
});

it('reasons of removed citations name no number of the statement unless texts are recorded', () => {
  const reason = 'the passage does not contain the number 4711';
  const answer: TraceDraft['answer'] = {
    ...{
      status: 'complete',
      model: 'm',
      text: '',
      passageCount: 1,
      isRefused: false,
      timings: {},
      messages: [],
    },
    citations: [],
    dropped: [{ number: 1, chunkId: 'c', statement: 'It weighs 4711 kg', reason }],
  };
  const build = (recordText: boolean) =>
    buildDetails(draft({ answer }), { recordText, redactWhere: null }, undefined).answer!.removed_citations;
  expect(build(true)).toMatchObject([{ reason, statement: 'It weighs 4711 kg' }]);
  expect(build(false)).toMatchObject([
    { reason: 'the passage does not contain the number', statement: null },
  ]);
});

it('expired traces are deleted after the days of their project', async () => {
  const [short, usual] = [await createTenant(), await createTenant()];
  await db
    .insert(traceSettings)
    .values({ projectId: short.projectId, sampleRate: 1, retentionDays: 2, recordText: false });
  const ages = [1, 3, 29, 31];
  for (const { projectId } of [short, usual])
    for (const days of ages) await insertTrace(ctx, row(projectId, new Date(Date.now() - days * DAY_MS)));
  expect(await removeExpiredOfInstallation(ctx, Date.now() + 60_000)).toBe(true);
  const count = ({ projectId }: typeof short) => db.$count(traces, eq(traces.projectId, projectId));
  expect(await count(short)).toBe(1);
  expect(await count(usual)).toBe(3);
});
