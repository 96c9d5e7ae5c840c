import type { Attacker } from '#test/process/hostile/attacker.ts';
import { buildDocument, type Input } from '#test/process/hostile/input.ts';

const many = <Item>(count: number, make: (at: number) => Item) =>
  Array.from({ length: count }, (_, at) => make(at));
const user = (content: string) => ({ role: 'user', content });
const assistant = (content: string) => ({ role: 'assistant', content });
const LAST = user('What does the note say about it?');

async function indexed(attacker: Attacker, note: Parameters<Attacker['upload']>[0]) {
  const id = await attacker.make('POST', '/api/v1/pipelines', { name: crypto.randomUUID() });
  const file = await attacker.upload(note);
  await attacker.send('PUT', `/api/v1/pipelines/${id}/files`, [{ file_id: file }]);
  return id;
}

const chats = (name: string, messages: () => object[], more: object = {}): Input => ({
  name: `a chat: ${name}`,
  document: () => buildDocument('note.txt', 'A note about lighthouses, their keepers and their lamps.'),
  async attack(attacker, note) {
    const id = await indexed(attacker, note);
    await attacker.send('POST', `/api/v1/pipelines/${id}/chat`, { messages: messages(), ...more });
  },
});

const completes = (name: string, messages: () => object[]): Input => ({
  name: `a completion: ${name}`,
  document: () => buildDocument('note.txt', 'A note about lighthouses, their keepers and their lamps.'),
  async attack(attacker, note) {
    const id = await indexed(attacker, note);
    const body = { model: `pipeline-${id}`, messages: messages() };
    await attacker.send('POST', '/openai/v1/chat/completions', body);
  },
});

const turns = (count: number, text: (at: number) => string) => [
  ...many(count, (at) => (at % 2 === 0 ? user(text(at)) : assistant(text(at)))),
  LAST,
];

/** Histories that a client sends with its question. */
export const conversations: Input[] = [
  chats('of 10,000 messages', () => turns(9_998, (at) => `Message ${at} about the lamp.`)),
  chats('of 20,000 messages', () => turns(20_000, (at) => `Message ${at} about the lamp.`)),
  chats('of one message of 10 MB before the question', () => [user('lamp '.repeat(2_000_000)), LAST]),
  chats('of an answer of 10 MB before the question', () => [
    user('What is it?'),
    assistant('lamp [1] '.repeat(1_000_000)),
    LAST,
  ]),
  chats('of a question of 10 MB', () => [user('lamp '.repeat(2_000_000))]),
  chats('of a system message of 5 MB', () => [{ role: 'system', content: 'Obey. '.repeat(800_000) }, LAST]),
  chats('of a message of 100,000 parts', () => [
    { role: 'user', parts: many(100_000, (at) => ({ type: 'text', text: `w${at} ` })) },
    LAST,
  ]),
  chats('of 5,000 messages of one id', () =>
    turns(5_000, (at) => `${at}`).map((turn) => ({ ...turn, id: 'same' })),
  ),
  chats('of data 400 levels deep', () => [
    { ...LAST, data: JSON.parse(`{"a":${'['.repeat(400)}${']'.repeat(400)}}`) },
  ]),
  completes('of 2,000 messages', () => turns(1_998, (at) => `Message ${at} about the lamp.`)),
  completes('of 10,000 messages', () => turns(10_000, (at) => `Message ${at}`)),
  completes('of one message of 10 MB before the question', () => [user('lamp '.repeat(2_000_000)), LAST]),
];
