import { env } from 'cloudflare:workers';
import { eq } from 'drizzle-orm';
import { describe, expect, it } from 'vitest';
import { openDatabase } from '#src/db/client.ts';
import { chatMessages, chatSessions, chatStreams } from '#src/db/schema/index.ts';
import { createObjects } from '#src/work/objects.ts';
import { buildPdf, text } from '#test/fixtures/pdf.ts';
import { call } from '#test/support/client.ts';
import { addFiles, createPipeline, sync } from '#test/support/pipelines.ts';
import { createTenant } from '#test/support/tenants.ts';

type Event = { type: string; [member: string]: unknown };
interface Sluice {
  pipeline_id: string;
  retriever_pipeline_name: string;
  node_id: string;
  file_id: string;
  citation: number;
}
interface Session {
  id: string;
  retriever_id: string;
  name: string;
  is_playground: boolean;
}

async function pipelineSaying(name: string, content: string): Promise<[pipeline: string, file: string]> {
  const pipeline = await createPipeline();
  const [file] = await addFiles(pipeline, {
    [name]: buildPdf({ pages: [{ content: text(72, 720, content) }] }),
  });
  await sync(pipeline);
  return [pipeline, file!];
}

async function createRetriever(pipelines: object[]): Promise<string> {
  const body = { name: `retriever ${crypto.randomUUID()}`, pipelines };
  return (await call<{ id: string }>('POST', '/api/v1/retrievers', { body })).body.id;
}

const at = (retriever: string, rest: string) => `/api/v1/retrievers/${retriever}/${rest}`;

async function ask(retriever: string, content: string, more: object = {}, key?: string) {
  const body = { messages: [{ role: 'user', content }], ...more };
  const answer = await call<string>('POST', at(retriever, 'chat'), { body, ...(key && { key }) });
  expect(answer.status).toBe(200);
  const events = answer.body
    .split('\n\n')
    .filter((event) => event.startsWith('data: {'))
    .map((event) => JSON.parse(event.slice('data: '.length)) as Event);
  const [start] = events as unknown as { messageMetadata: { retrieval: Record<string, string> } }[];
  return {
    text: events.map(({ type, delta }) => (type === 'text-delta' ? delta : '')).join(''),
    sources: events
      .filter(({ type }) => type === 'source-document')
      .map(({ providerMetadata }) => (providerMetadata as { sluice: Sluice }).sluice),
    citations: (events.find(({ type }) => type === 'data-citations')!.data as { citations: object[] })
      .citations,
    notes: JSON.parse(start!.messageMetadata.retrieval.pipelines!) as Record<string, Record<string, string>>,
    end: events.at(-1)!,
  };
}

describe('a chat with a retriever', () => {
  it('answers from all its pipelines, and each source names its pipeline', async () => {
    const [quays, quay] = await pipelineSaying('quay.pdf', 'The Ardgour quay is nine metres long.');
    const [lights, light] = await pipelineSaying(
      'light.pdf',
      'The Corran lighthouse was built by Matilda Oyelaran.',
    );
    const retriever = await createRetriever([{ pipeline_id: quays, name: 'Quays' }, { pipeline_id: lights }]);
    const question = 'How long is the Ardgour quay, and who built the Corran lighthouse?';
    const { text: said, sources, citations, end } = await ask(retriever, question);
    expect(said).toMatch(/nine metres long\. \[\d\].*Matilda Oyelaran\. \[\d\]/);
    expect(sources).toContainEqual(
      expect.objectContaining({ pipeline_id: quays, retriever_pipeline_name: 'Quays', file_id: quay }),
    );
    expect(sources).toContainEqual(expect.objectContaining({ pipeline_id: lights, file_id: light }));
    expect(citations).toHaveLength(2);
    for (const cited of citations) expect(cited).toMatchObject({ bounding_boxes: [{ page_index: 0 }] });
    expect(end).toMatchObject({ type: 'finish', messageMetadata: { complete: true } });
  });

  it('applies retrieval parameters over each preset, and reports missing pipelines', async () => {
    const [quays] = await pipelineSaying('quay.pdf', 'The Ardgour quay is nine metres long.');
    const [others] = await pipelineSaying('other.pdf', 'The Ardgour quay is closed in winter.');
    const gone = await createPipeline();
    const retriever = await createRetriever([
      { pipeline_id: quays },
      { pipeline_id: others },
      { pipeline_id: gone },
    ]);
    await call('POST', `/api/v1/pipelines/${gone}/force-delete`);
    const data = { retrieval_parameters: { rerank_top_n: 1, retrieval_mode: null } };
    const { sources, notes } = await ask(retriever, 'How long is the Ardgour quay?', { data });
    expect(sources).toHaveLength(1);
    expect(notes[gone]).toHaveProperty('missing');
    expect(Object.keys(notes)).toEqual(expect.arrayContaining([quays, others]));
    const search_filters = { filters: [{ key: 'file_name', operator: '==', value: 'other.pdf' }] };
    const filtered = { data: { retrieval_parameters: { search_filters } } };
    const { sources: found } = await ask(retriever, 'How long is the Ardgour quay?', filtered);
    expect(found.map(({ pipeline_id }) => pipeline_id)).toEqual([others]);
  });

  it('does not ask pipelines beyond the key', async () => {
    const post = async <Made>(path: string, body: object) => (await call<Made>('POST', path, { body })).body;
    const second = await post<{ id: string }>('/api/v1/projects', { name: crypto.randomUUID() });
    const path = `/api/v1/pipelines?project_id=${second.id}`;
    const far = await post<{ id: string }>(path, { name: crypto.randomUUID() });
    const retriever = await createRetriever([{ pipeline_id: far.id }]);
    expect((await ask(retriever, 'How long?')).notes[far.id]).toHaveProperty('sink');
    const { project_id } = (await call<{ project_id: string }>('GET', `/api/v1/retrievers/${retriever}`))
      .body;
    const narrow = await post<{ redacted_api_key: string }>('/api/v1/api-keys', {
      name: 'narrow',
      project_id,
    });
    const { notes } = await ask(retriever, 'How long?', {}, narrow.redacted_api_key);
    expect(notes[far.id]).toHaveProperty('missing');
  });

  it('has its own sessions with a playground session, which are deleted with the retriever', async () => {
    const [quays] = await pipelineSaying('quay.pdf', 'The Ardgour quay is nine metres long.');
    const retriever = await createRetriever([{ pipeline_id: quays }]);
    const made = await call<Session>('POST', at(retriever, 'chat-sessions'), { body: { name: 'Quays' } });
    expect(made.body).toMatchObject({ retriever_id: retriever, name: 'Quays', is_playground: false });
    const inSession = { session_id: made.body.id, id: 'a chat' };
    const { sources } = await ask(retriever, 'How long is the Ardgour quay?', inSession);
    await ask(retriever, 'And when?');
    await ask(retriever, 'And where?');
    const list = await call<{ sessions: Session[] }>('GET', at(retriever, 'chat-sessions'));
    expect(list.body.sessions.map(({ name, is_playground }) => [name, is_playground])).toEqual([
      ['And when?', true],
      ['Quays', false],
    ]);
    const path = at(retriever, `chat-sessions/${made.body.id}/messages`);
    const kept = await call<{ messages: { parts: { providerMetadata: { sluice: Sluice } }[] }[] }>(
      'GET',
      path,
    );
    expect(kept.body.messages[1]!.parts[0]!.providerMetadata.sluice).toEqual(
      expect.objectContaining(sources[0]!),
    );
    expect((await call('GET', at(retriever, 'chat/a%20chat/stream'))).body).toContain('"type":"finish"');
    const ofPipeline = `/api/v1/pipelines/${quays}`;
    expect((await call('GET', `${ofPipeline}/chat/a%20chat/stream`)).status).toBe(204);
    expect((await call('GET', `${ofPipeline}/chat-sessions/${made.body.id}`)).status).toBe(404);

    const { key } = await createTenant();
    expect((await call('GET', path, { key })).status).toBe(404);
    const db = openDatabase(env.DB);
    const ofRetriever = eq(chatStreams.retrieverId, retriever);
    const [stream] = await db.select().from(chatStreams).where(ofRetriever);
    expect((await call('DELETE', `/api/v1/retrievers/${retriever}`)).status).toBe(204);
    expect(
      await createObjects(env as never)
        .chatStream(stream!.id)
        .resume('ui'),
    ).toBeUndefined();
    expect(await db.$count(chatSessions, eq(chatSessions.retrieverId, retriever))).toBe(0);
    expect(await db.$count(chatStreams, ofRetriever)).toBe(0);
    expect(await db.$count(chatMessages, eq(chatMessages.sessionId, made.body.id))).toBe(0);
  });
});
