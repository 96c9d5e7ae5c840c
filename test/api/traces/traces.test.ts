import { env } from 'cloudflare:workers';
import { describe, expect, it } from 'vitest';
import { clientOf } from '#test/support/configured.ts';
import { createTenant } from '#test/support/tenants.ts';
import { chat, createIndexed, listTraces, put, QUESTION, readTrace, retrieve, traced } from './tracing.ts';

describe('traces of retrievals', () => {
  it('are not recorded by default', async () => {
    const client = clientOf((await createTenant()).key, {});
    expect((await client('GET', '/api/v1/traces/settings')).body).toEqual({
      sample_rate: 0,
      retention_days: 30,
      record_text: false,
      redact_where: null,
    });
    const pipeline = await createIndexed(client);
    expect((await retrieve(client, pipeline)).metadata.trace_id).toBeUndefined();
    expect((await chat(client, pipeline)).metadata.trace_id).toBeUndefined();
    expect(await listTraces(client)).toEqual([]);
  });

  it('have the scores and ranks of all candidates, and who asked', async () => {
    const { client, pipeline, tenant } = await traced({ sample_rate: 1, record_text: true });
    const filters = { filters: [{ key: 'shelf', operator: '==', value: 'open' }] };
    const found = await retrieve(client, pipeline, { rerank_top_n: 1, search_filters: filters });
    const trace = await readTrace(client, found.metadata.trace_id);
    expect(trace).toMatchObject({
      kind: 'retrieval',
      pipeline_id: pipeline,
      user_id: tenant.userId,
      question: QUESTION,
      refused: false,
      error_code: null,
    });
    const { candidates, latency, filters: recorded } = trace.details!;
    expect(recorded).toEqual({ condition: 'and', filters: filters.filters });
    expect(candidates.map(({ document_id }) => document_id).toSorted()).toEqual(['gulls', 'owls']);
    const results = candidates.filter(({ rank_after }) => rank_after !== null);
    expect(results).toMatchObject([
      {
        document_id: 'gulls',
        chunk_id: found.retrieval_nodes[0]!.node.id_,
        rank_after: 1,
        rerank: expect.any(Number),
        sparse: expect.any(Number),
        text: 'Gulls nest on the roofs of the town hall.',
        is_available: true,
      },
    ]);
    expect(candidates.find(({ document_id }) => document_id === 'owls')).toMatchObject({
      rank_after: null,
      rerank: null,
      text: null,
      is_available: null,
    });
    expect(Object.keys(latency)).toEqual(expect.arrayContaining(['search', 'rerank', 'total']));
  });

  it('of a retriever name it, and a failed retrieval has an error', async () => {
    const { client, pipeline } = await traced({ sample_rate: 1 });
    const { body: retriever } = await client<{ id: string }>('POST', '/api/v1/retrievers', {
      name: 'birds',
      pipelines: [{ pipeline_id: pipeline }],
    });
    const path = `/api/v1/retrievers/${retriever.id}/retrieve`;
    const { body } = await client<{ metadata: { trace_id: string } }>('POST', path, { query: QUESTION });
    const trace = await readTrace(client, body.metadata.trace_id);
    expect(trace).toMatchObject({ retriever_id: retriever.id, pipeline_id: null, kind: 'retrieval' });
    expect(trace.details!.candidates[0]).toMatchObject({
      document_id: 'gulls',
      rank_before: 1,
      rank_after: 1,
    });
    const gone = { query: QUESTION, pipelines: [{ pipeline_id: crypto.randomUUID() }] };
    expect((await client('POST', '/api/v1/retrievers/retrieve', gone)).status).toBe(404);
    const [failed] = await listTraces(client, '?error=true');
    expect(failed).toMatchObject({ error_code: 'not_found', retriever_id: null });
    expect((await listTraces(client, '?error=false')).map(({ id }) => id)).toEqual([trace.id]);
  });

  it('contain no text unless the project records texts', async () => {
    const { client, pipeline } = await traced({ sample_rate: 1 });
    const filters = { filters: [{ key: 'shelf', operator: '==', value: 'open' }] };
    const found = await retrieve(client, pipeline, { search_filters: filters });
    const answered = await chat(client, pipeline);
    for (const id of [found.metadata.trace_id, answered.metadata.trace_id]) {
      const { details, question } = await readTrace(client, id);
      expect(question).toBeNull();
      const stored = {
        ...details!,
        candidates: details!.candidates.map((each) => ({ ...each, text: null, title: null })),
      };
      expect(JSON.stringify(stored)).not.toMatch(/gulls nest|do gulls|roof|open/i);
      expect(details).toMatchObject({ has_text: false, question_characters: QUESTION.length });
    }
    const { details } = await readTrace(client, found.metadata.trace_id);
    expect(details!.filters).toEqual({ condition: 'and', filters: [{ key: 'shelf', operator: '==' }] });
  });
});

describe('traces of chats', () => {
  it('have the answer, its citations and its session', async () => {
    const { client, pipeline } = await traced({ sample_rate: 1, record_text: true });
    const { messageId, metadata, text } = await chat(client, pipeline);
    expect(metadata.trace_id).toBe(messageId);
    const trace = await readTrace(client, metadata.trace_id);
    expect(trace).toMatchObject({ kind: 'chat', session_id: metadata.session_id, refused: false });
    const { answer, candidates } = trace.details!;
    expect(answer).toMatchObject({ status: 'complete', text, characters: text.length });
    const cited = candidates.find(({ chunk_id }) => chunk_id === answer!.citations[0]!.chunk_id);
    expect(cited).toMatchObject({ document_id: 'gulls', rank_after: 1 });
  });

  it('say that the documents did not answer', async () => {
    const { client, pipeline } = await traced({ sample_rate: 1, record_text: true });
    await chat(client, pipeline);
    await chat(client, pipeline, 'Who invented the telephone exchange?');
    expect((await listTraces(client, '?refused=true')).map(({ question }) => question)).toEqual([
      'Who invented the telephone exchange?',
    ]);
  });

  it('of the OpenAI API name the trace in the answer', async () => {
    const { client, pipeline } = await traced({ sample_rate: 1 });
    const body = { model: `pipeline-${pipeline}`, messages: [{ role: 'user', content: QUESTION }] };
    const answer = await client<{ sluice: { trace_id: string } }>(
      'POST',
      '/openai/v1/chat/completions',
      body,
    );
    expect(await readTrace(client, answer.body.sluice.trace_id)).toMatchObject({
      kind: 'chat',
      session_id: null,
    });
  });
});

describe('deletion', () => {
  it('of a document deletes the answers from it at once, and its text is not readable any more', async () => {
    const { client, pipeline } = await traced({ sample_rate: 1, record_text: true });
    const { metadata, text } = await chat(client, pipeline);
    expect((await readTrace(client, metadata.trace_id)).details!.answer!.text).toBe(text);
    const path = `/api/v1/pipelines/${pipeline}/documents/gulls`;
    const stored = async () =>
      (await env.DB.prepare('select details from traces where id = ?')
        .bind(metadata.trace_id)
        .first<{ details: string }>())!.details;
    expect(await stored()).toContain('roofs');
    // The deletion of a document that the answer does not use leaves the answer.
    const other = await client<{ id: string }[]>('POST', `/api/v1/pipelines/${pipeline}/documents`, [
      { id: 'terns', text: 'Terns rest on the pier.', metadata: {} },
    ]);
    expect(other.status).toBe(200);
    await client('DELETE', `/api/v1/pipelines/${pipeline}/documents/terns`);
    expect(await stored()).toContain('roofs');
    expect((await client('DELETE', path)).status).toBe(204);
    // The trace was not read yet, and its answer is gone from the database.
    expect(await stored()).not.toContain('roofs');
    const trace = await readTrace(client, metadata.trace_id);
    expect(JSON.stringify(trace)).not.toContain('roofs');
    expect(trace.details).toMatchObject({
      is_withheld: true,
      answer: { text: null, characters: text.length },
    });
    const gone = trace.details!.candidates.find(({ document_id }) => document_id === 'gulls');
    expect(gone).toMatchObject({ text: null, is_available: false });
  });

  it('of a pipeline or chat session deletes its traces', async () => {
    const { client, pipeline } = await traced({ sample_rate: 1 });
    const session = await client<{ id: string }>('POST', `/api/v1/pipelines/${pipeline}/chat-sessions`, {});
    const answered = await chat(client, pipeline, QUESTION, { session_id: session.body.id });
    await retrieve(client, pipeline);
    expect(await listTraces(client)).toHaveLength(2);
    await client('DELETE', `/api/v1/pipelines/${pipeline}/chat-sessions/${session.body.id}`);
    expect((await client('GET', `/api/v1/traces/${answered.messageId}`)).status).toBe(404);
    expect(await listTraces(client)).toHaveLength(1);
  });

  it('by filter deletes the matching traces only, and needs a filter or all=true', async () => {
    const { client, pipeline } = await traced({ sample_rate: 1 });
    await retrieve(client, pipeline);
    const kept = await chat(client, pipeline);
    expect((await client('DELETE', '/api/v1/traces')).status).toBe(422);
    expect((await client('DELETE', '/api/v1/traces?kind=retrieval')).body).toEqual({ deleted: 1 });
    expect((await listTraces(client)).map(({ id }) => id)).toEqual([kept.messageId]);
    expect((await client('DELETE', '/api/v1/traces?all=true')).body).toEqual({ deleted: 1 });
    expect(await listTraces(client)).toEqual([]);
  });

  it('leaves no text of redacted documents', async () => {
    const redact_where = { filters: [{ key: 'shelf', operator: '==', value: 'secret' }] };
    const { client, pipeline } = await traced({ sample_rate: 1, record_text: true, redact_where });
    const secret = await chat(client, pipeline, 'Where do swifts nest?');
    expect(secret.text).toContain('bridge');
    const trace = await readTrace(client, secret.metadata.trace_id);
    expect(JSON.stringify(trace)).not.toContain('bridge');
    expect(trace.details).toMatchObject({ is_redacted: true, answer: { text: null } });
    await put(client, '/api/v1/traces/settings', { sample_rate: 1, record_text: true });
    const open = await chat(client, pipeline, 'Where do swifts nest?');
    expect((await readTrace(client, open.metadata.trace_id)).details!.answer!.text).toContain('bridge');
  });
});
