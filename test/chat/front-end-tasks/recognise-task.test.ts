import { describe, expect, it } from 'vitest';
import { performTask } from '#src/chat/front-end-tasks/perform-task.ts';
import { recogniseTask } from '#src/chat/front-end-tasks/recognise-task.ts';
import { toTurns } from '#src/chat/input.ts';
import { PROMPTS, QUESTIONS } from './prompts.ts';

type Message = { role: string; content: string };
const turnsIn = (messages: Message[]) => toTurns(messages as Parameters<typeof toTurns>[0]);

describe('a prompt of a front end', () => {
  it.each(PROMPTS)('is recognised and answered: $name', ({ messages, kind, answer }) => {
    const task = recogniseTask({ turns: turnsIn(messages) });
    expect(task?.kind).toBe(kind);
    const text = performTask(task!);
    expect(typeof answer === 'string' ? text : JSON.parse(text)).toEqual(answer);
  });

  it('is answered in the JSON of the requested format', () => {
    const titled = PROMPTS.find(({ name }) => name === 'LibreChat, title as text')!;
    const properties = { language: { type: 'string' }, title: { type: 'string' } };
    const schema = { type: 'object', properties };
    const format = { schema, isStrict: true };
    const asked = { turns: turnsIn(titled.messages) };
    const answer = { language: 'English', title: 'Corran bridge opened' };
    expect(JSON.parse(performTask(recogniseTask({ ...asked, format })!))).toEqual(answer);
    const tools = [{ name: 'extract', parameters: schema }];
    const forced = recogniseTask({ ...asked, tools, toolChoice: { name: 'extract' } });
    expect(JSON.parse(performTask(forced!))).toEqual(answer);
  });
});

it.each(QUESTIONS.map((messages) => [messages.at(-1)!.content, messages] as const))(
  'leaves a question to the documents: %s',
  (_, messages) => {
    expect(recogniseTask({ turns: turnsIn(messages) })).toBeUndefined();
  },
);

/** Longest conversation of a task. Work that grows with its square would not end in the time of a test. */
const CHARACTERS = 990_000;

it.each([
  ['open elements', '<chat_history>'],
  ['roles without an end', '<chat_history><user>'],
  ['speakers', 'user: a\nassistant: b\n'],
  ['braces', '{"title": {'],
  ['white space', ' \n\t'],
  ['frames', ', , standalone question'],
])('reads a long hostile prompt: %s', (_, piece) => {
  const filled = piece.repeat(Math.floor(CHARACTERS / piece.length));
  const content = `Generate a title for the chat history in JSON.\n<chat_history>${filled}</chat_history>`;
  const task = recogniseTask({ turns: turnsIn([{ role: 'user', content }]) });
  expect(task?.kind).toBe('title');
  expect(performTask(task!).length).toBeLessThan(1_000);
});
