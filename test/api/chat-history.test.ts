import { env } from 'cloudflare:workers';
import { readUIMessageStream, type UIMessageChunk, uiMessageChunkSchema, validateUIMessages } from 'ai';
import { describe, expect, it } from 'vitest';
import { openDatabase } from '#src/db/client.ts';
import { chatMessages } from '#src/db/schema/index.ts';
import { buildPdf, text } from '#test/fixtures/pdf.ts';
import { call } from '#test/support/client.ts';
import { addFiles, createPipeline, sync } from '#test/support/pipelines.ts';

interface Message {
  id: string;
  role: string;
  metadata: Record<string, unknown>;
  parts: { type: string; providerMetadata?: { sluice: Record<string, unknown> }; [more: string]: unknown }[];
}
interface Page {
  messages: Message[];
  next_before: number | null;
  total_count: number;
}

const MANUAL = buildPdf({
  pages: [
    { content: text(72, 720, 'The Corran lighthouse was built by Matilda Oyelaran.') },
    { content: text(72, 650, 'The Ardgour quay is nine metres long.') },
  ],
});
const QUESTION = { role: 'user', content: 'How long is the Ardgour quay?' };

const at = (pipeline: string, rest: string) => `/api/v1/pipelines/${pipeline}/${rest}`;

async function newSession(pipeline: string): Promise<string> {
  return (await call<{ id: string }>('POST', at(pipeline, 'chat-sessions'))).body.id;
}

async function readPage(pipeline: string, session: string, query = ''): Promise<Page> {
  return (await call<Page>('GET', at(pipeline, `chat-sessions/${session}/messages${query}`))).body;
}

/** Sends a chat request and returns the message that the AI SDK builds from the answer. */
async function ask(pipeline: string, body: object): Promise<Message> {
  const answer = await call<string>('POST', at(pipeline, 'chat'), { body });
  expect(answer.status).toBe(200);
  const chunks = answer.body
    .split('\n\n')
    .filter((event) => event.startsWith('data: {'))
    .map((event) => JSON.parse(event.slice('data: '.length)) as UIMessageChunk);
  for (const chunk of chunks) {
    expect(await uiMessageChunkSchema().validate!(chunk)).toMatchObject({ success: true });
  }
  let last: unknown;
  for await (const message of readUIMessageStream({ stream: createStream(chunks) })) last = message;
  return last as Message;
}

const createStream = (chunks: UIMessageChunk[]) =>
  new ReadableStream<UIMessageChunk>({
    start(controller) {
      for (const chunk of chunks) controller.enqueue(chunk);
      controller.close();
    },
  });

const openable = ({ parts }: Message): Record<string, unknown>[] =>
  parts
    .filter(({ type }) => type === 'source-document')
    .map(({ sourceId, title, providerMetadata }) => ({ sourceId, title, ...providerMetadata!.sluice }));
const citations = ({ parts }: Message) =>
  parts.find(({ type }) => type === 'data-citations') as unknown as { data: { citations: unknown[] } };
const said = ({ parts }: Message) => parts.find(({ type }) => type === 'text')!.text;

describe('a stored answer', () => {
  it('has the same sources, citations and metadata as the stream', async () => {
    const pipeline = await createPipeline({
      transform_config: {
        mode: 'advanced',
        segmentation_config: { mode: 'page' },
        chunking_config: { mode: 'sentence', chunk_size: 200, chunk_overlap: 0 },
      },
    });
    const [file] = await addFiles(pipeline, { 'manual.pdf': MANUAL });
    await sync(pipeline);
    const session = await newSession(pipeline);
    const live = await ask(pipeline, { session_id: session, messages: [{ id: 'q1', ...QUESTION }] });
    const { messages, ...page } = await readPage(pipeline, session);
    expect(page).toEqual({ next_before: null, total_count: 2 });
    const [question, stored] = messages as [Message, Message];
    expect(question).toMatchObject({
      id: 'q1',
      role: 'user',
      parts: [{ type: 'text', text: QUESTION.content }],
    });
    expect(stored.id).toBe(live.id);
    expect(said(stored)).toBe(said(live));
    const sources = openable(live);
    expect(sources[0]).toMatchObject({
      ...{ citation: 1, pipeline_id: pipeline, file_id: file, document_id: file },
      ...{ start_page_index: 1, end_page_index: 1, page_label: '2' },
      text: expect.stringContaining('nine metres long'),
    });
    expect(sources[0]!.node_id).toBe(sources[0]!.sourceId);
    expect(openable(stored)).toEqual(sources);
    expect(citations(stored).data.citations).toEqual(citations(live).data.citations);
    expect(citations(stored).data.citations).toMatchObject([
      { citation: 1, bounding_boxes: [{ page_index: 1 }] },
    ]);
    expect(stored.metadata).toMatchObject({ ...live.metadata, status: 'complete', complete: true, index: 1 });
    expect(live.metadata).toMatchObject({ message_id: live.id, session_id: session });
    expect(await validateUIMessages({ messages })).toHaveLength(2);

    const { chat_messages } = (
      await call<{ chat_messages: { annotations: { type: string; data: string }[] }[] }>(
        'GET',
        at(pipeline, `chat-sessions/${session}`),
      )
    ).body;
    const { nodes } = JSON.parse(chat_messages[1]!.annotations[0]!.data);
    expect(nodes[0]).toMatchObject({ cited: true, file_id: file, node_id: sources[0]!.node_id });
    expect(nodes.filter(({ cited }: { cited: boolean }) => cited)).toHaveLength(1);
  });

  it('of an earlier version shows what was stored, and ignores annotations that cannot be read', async () => {
    const pipeline = await createPipeline();
    const sessionId = await newSession(pipeline);
    const nodes = [{ id: 'n', document_id: 'd', title: 'a.pdf', score: 0.5, citation: 1, page_label: '3' }];
    const kept = [
      [
        { type: 'sources', data: JSON.stringify({ nodes }) },
        { type: 'status', data: '{"status":"aborted"}' },
      ],
      [
        { type: 'sources', data: '{' },
        { type: 'metadata', data: '7' },
      ],
      null,
    ];
    for (const [position, annotations] of kept.entries()) {
      const row = { id: crypto.randomUUID(), sessionId, position, role: 'assistant', content: 'said' };
      await openDatabase(env.DB)
        .insert(chatMessages)
        .values({ ...row, annotations });
    }
    const { messages } = await readPage(pipeline, sessionId);
    expect(openable(messages[0]!)).toMatchObject([
      {
        citation: 1,
        score: 0.5,
        node_id: 'n',
        text: '',
        text_cut: true,
        start_page_index: 2,
        page_label: '3',
      },
    ]);
    expect(messages.map(({ metadata }) => metadata.status)).toEqual(['aborted', 'complete', 'complete']);
    expect(messages.map(({ metadata }) => metadata.complete)).toEqual([false, true, true]);
    expect(messages.slice(1).map(({ parts }) => parts.map(({ type }) => type))).toEqual([['text'], ['text']]);
  });

  it('is listed page by page, newest first', async () => {
    const pipeline = await createPipeline();
    const session = await newSession(pipeline);
    for (const content of ['One?', 'Two?', 'Three?']) {
      await ask(pipeline, { session_id: session, messages: [{ role: 'user', content }] });
    }
    const listMessageIndexes = ({ messages }: Page) => messages.map(({ metadata }) => metadata.index);
    const newest = await readPage(pipeline, session, '?limit=4');
    expect([listMessageIndexes(newest), newest.next_before, newest.total_count]).toEqual([
      [2, 3, 4, 5],
      2,
      6,
    ]);
    const first = await readPage(pipeline, session, `?limit=4&before=${newest.next_before}`);
    expect([listMessageIndexes(first), first.next_before]).toEqual([[0, 1], null]);
    expect((await readPage(pipeline, session, '?limit=2&before=2')).next_before).toBeNull();
  });
});

describe('a regenerated answer', () => {
  const roles = ({ messages }: Page) => messages.map(({ role, parts }) => [role, parts.at(-1)!.text ?? '']);
  const turn = (content: string) => ({ role: 'user', content });
  const regenerate = (pipeline: string, session_id: string, messages: object[], messageId?: string) =>
    ask(pipeline, { session_id, messages, trigger: 'regenerate-message', ...(messageId && { messageId }) });

  it('replaces the last answer, without message ids from the client', async () => {
    const pipeline = await createPipeline();
    const session = await newSession(pipeline);
    const first = await ask(pipeline, { session_id: session, messages: [turn('How high?')] });
    const second = await regenerate(pipeline, session, [turn('How high?')]);
    const third = await regenerate(pipeline, session, [turn('How high?')], second.id);
    const { messages } = await readPage(pipeline, session);
    expect(messages.map(({ role }) => role)).toEqual(['user', 'assistant']);
    expect(messages[1]!.id).toBe(third.id);
    expect(new Set([first.id, second.id, third.id]).size).toBe(3);
  });

  it('removes the later messages if it is not the last one', async () => {
    const pipeline = await createPipeline();
    const session = await newSession(pipeline);
    const answers: Message[] = [];
    for (const content of ['How high?', 'When?', 'Where?']) {
      answers.push(await ask(pipeline, { session_id: session, messages: [turn(content)] }));
    }
    const again = await regenerate(pipeline, session, [turn('How high?'), turn('When?')], answers[1]!.id);
    const page = await readPage(pipeline, session);
    expect(roles(page).map(([role]) => role)).toEqual(['user', 'assistant', 'user', 'assistant']);
    expect(page.messages.map(({ id }) => id).filter((_, index) => index % 2)).toEqual([
      answers[0]!.id,
      again.id,
    ]);
    await ask(pipeline, { session_id: session, messages: [turn('And now?')] });
    expect((await readPage(pipeline, session)).total_count).toBe(6);
  });

  it('is added if the session does not contain the question', async () => {
    const pipeline = await createPipeline();
    const session = await newSession(pipeline);
    await ask(pipeline, { session_id: session, messages: [turn('How high?')] });
    await regenerate(pipeline, session, [turn('How deep?')]);
    expect(roles(await readPage(pipeline, session)).map(([, said]) => said)).toContain('How deep?');
    const other = await newSession(pipeline);
    const [, answer] = (await readPage(pipeline, session)).messages;
    await regenerate(pipeline, other, [turn('How high?')], answer!.id);
    expect((await readPage(pipeline, session)).total_count).toBe(4);
    expect((await readPage(pipeline, other)).total_count).toBe(2);
  });

  it('replaces a question edited as `useChat` sends it, and removes the later messages', async () => {
    const pipeline = await createPipeline();
    const session_id = await newSession(pipeline);
    for (const id of ['q1', 'q2'])
      await ask(pipeline, { session_id, messages: [{ id, ...turn('How high?') }] });
    const messages = [{ id: 'q1', ...turn('How deep?') }];
    await ask(pipeline, { session_id, messages, trigger: 'submit-message', messageId: 'q1' });
    const page = await readPage(pipeline, session_id);
    expect(page.messages.map(({ id }) => id)).toEqual(['q1', expect.any(String)]);
    expect(page.messages[0]!.parts).toEqual([{ type: 'text', text: 'How deep?' }]);
    const other = { session_id, messages, trigger: 'resume-stream' };
    expect((await call('POST', at(pipeline, 'chat'), { body: other })).status).toBe(422);
  });

  it('can refer to the question by the id of the session', async () => {
    const pipeline = await createPipeline();
    const session = await newSession(pipeline);
    await ask(pipeline, { session_id: session, messages: [turn('How high?')] });
    const [question] = (await readPage(pipeline, session)).messages;
    await ask(pipeline, { session_id: session, messages: [{ id: question!.id, ...turn('How high?') }] });
    expect((await readPage(pipeline, session)).total_count).toBe(2);
  });
});

it('a session is named after its first question unless it has a name', async () => {
  const pipeline = await createPipeline();
  const getSessionName = async (id: string) =>
    (await call<{ name: string }>('GET', at(pipeline, `chat-sessions/${id}`))).body.name;
  const session = await newSession(pipeline);
  const long = `How high is\n the ${'very '.repeat(30)}old tower?`;
  for (const content of [long, 'And when?']) {
    await ask(pipeline, { session_id: session, messages: [{ role: 'user', content }] });
  }
  const name = await getSessionName(session);
  expect(name).toMatch(/^How high is the (very )+very…$/);
  expect(name.length).toBeLessThanOrEqual(80);
  const named = await call<{ id: string }>('POST', at(pipeline, 'chat-sessions'), {
    body: { name: 'Tides' },
  });
  await ask(pipeline, { session_id: named.body.id, messages: [{ role: 'user', content: 'How high?' }] });
  expect(await getSessionName(named.body.id)).toBe('Tides');
});
