import { afterEach, beforeAll, describe, expect, it, vi } from 'vitest';
import { shortenQuestion } from '#src/chat/shorten-question.ts';
import { addFiles, createPipeline, sync } from '#test/support/pipelines.ts';
import { createClient } from './client.ts';
import { MODEL_SETTINGS, ModelEndpoint } from './model-endpoint.ts';

const QUESTION = 'When was the Corran bridge opened?';
let model: string;

beforeAll(async () => {
  const id = await createPipeline();
  await addFiles(id, { 'corran.txt': 'The Corran bridge was opened in 1893.' });
  await sync(id);
  model = `pipeline-${id}`;
});

afterEach(() => vi.restoreAllMocks());

const user = (content: string) => ({ role: 'user' as const, content });
const assistant = (content: string) => ({ role: 'assistant' as const, content });

describe('a conversation that ends with an answer', () => {
  it('has its last question answered', async () => {
    const messages = [user(QUESTION), assistant('It was')];
    const { choices } = await createClient().chat.completions.create({ model, messages });
    expect(choices[0]!.message.content).toContain('1893');
  });

  it('is continued by the language model', async () => {
    const endpoint = new ModelEndpoint().listen();
    endpoint.reply = () => ({ text: ' opened in 1893. [1]' });
    const openai = createClient(MODEL_SETTINGS);
    const messages = [user(QUESTION), assistant('It was')];
    const { choices } = await openai.chat.completions.create({ model, messages });
    expect(choices[0]!.message.content).toBe(' opened in 1893. [1]');
    const [{ messages: sent } = { messages: [] }] = endpoint.calls;
    expect(sent.at(-1)).toMatchObject({ role: 'assistant', content: 'It was' });
    expect(JSON.stringify(sent[0])).toContain('The Corran bridge was opened in 1893.');
  });

  it('needs a question', async () => {
    const asked = createClient().chat.completions.create({ model, messages: [assistant('Yes.')] });
    await expect(asked).rejects.toMatchObject({ status: 400, param: 'messages' });
  });
});

describe('a question with a long pasted text', () => {
  const pasted = 'Gulls nest on the cliff. '.repeat(2_000);

  it.each([
    ['after', `${pasted}\n${QUESTION}`],
    ['before', `${QUESTION}\n${pasted}`],
  ])('is searched with what stands %s the text, and the model reads all of it', async (_, content) => {
    const endpoint = new ModelEndpoint().listen();
    const openai = createClient(MODEL_SETTINGS);
    await openai.chat.completions.create({ model, messages: [user(content)] });
    const [{ messages } = { messages: [] }] = endpoint.calls;
    expect(JSON.stringify(messages[0])).toContain('The Corran bridge was opened in 1893.');
    expect(messages.at(-1)!.content).toHaveLength(content.length);
  });

  it('has at most 200,000 characters', async () => {
    const messages = [user('a '.repeat(100_001))];
    const asked = createClient().chat.completions.create({ model, messages });
    await expect(asked).rejects.toMatchObject({ status: 400, param: 'messages' });
  });

  it('is cut between words', () => {
    expect(shortenQuestion(QUESTION)).toBe(QUESTION);
    const short = shortenQuestion(`Who? ${'gulls '.repeat(5_000)} Where?`);
    expect(short.length).toBeLessThan(4_100);
    expect(new Set(short.split(/\s+/u))).toEqual(new Set(['Who?', 'gulls', 'Where?']));
  });
});
