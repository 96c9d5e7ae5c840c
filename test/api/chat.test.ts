import { describe, expect, it } from 'vitest';
import { call } from '#test/support/client.ts';
import { addFiles, createPipeline, sync } from '#test/support/pipelines.ts';

interface Start {
  messageMetadata: { retrieval: Record<string, string>; warnings?: { field: string; reason: string }[] };
}

async function chat(pipeline: string, body: object): Promise<{ start: Start; text: string }> {
  const answer = await call<string>('POST', `/api/v1/pipelines/${pipeline}/chat`, { body });
  expect(answer.status).toBe(200);
  const events = answer.body
    .split('\n\n')
    .filter((event) => event.startsWith('data: {'))
    .map((event) => JSON.parse(event.slice('data: '.length)));
  const text = events.map(({ type, delta }) => (type === 'text-delta' ? delta : '')).join('');
  return { start: events[0], text };
}

const user = (content: string) => ({ role: 'user', content });

async function twoBridges(): Promise<string> {
  const id = await createPipeline();
  await addFiles(id, {
    'corran.txt':
      'The Corran bridge was opened in 1893 by the county surveyor. The colour of the Corran bridge is green.',
    'ardgour.txt': 'The Ardgour ferry carries nine cars. The colour of the Ardgour ferry is red.',
  });
  await sync(id);
  return id;
}

describe('a chat without a language model', () => {
  it('adds the missing subject to a follow-up question', async () => {
    const id = await twoBridges();
    for (const [subject, colour] of [
      ['When was the Corran bridge opened?', 'green'],
      ['How many cars does the Ardgour ferry carry?', 'red'],
    ] as const) {
      const messages = [
        user(subject),
        { role: 'assistant', content: 'It says so.' },
        user('And what colour is it?'),
      ];
      const { start, text } = await chat(id, { messages });
      expect(text).toContain(colour);
      const { condenser, searched_for } = start.messageMetadata.retrieval;
      expect(condenser).toBe('builtin/follow-up-1');
      expect(searched_for).toMatch(/^And what colour is it\? .*(Corran|Ardgour)/);
    }
    const { start } = await chat(id, { messages: [user('When was the Corran bridge opened?')] });
    expect(start.messageMetadata.retrieval).not.toHaveProperty('searched_for');
  });

  it('warns about instructions and data that it did not follow', async () => {
    const id = await createPipeline();
    const messages = [
      { role: 'system', content: 'Be brief.' },
      { role: 'tool', content: '{"tide":"low"}' },
      user('When?'),
      { role: 'developer', content: 'Answer in French.' },
    ];
    const llm_parameters = { system_prompt: 'Be kind.', temperature: 0.3, use_citation: false };
    const { start } = await chat(id, { messages, data: { llm_parameters } });
    expect(start.messageMetadata.warnings!.map(({ field }) => field)).toEqual([
      'data.llm_parameters.system_prompt',
      'data.llm_parameters.temperature',
      'data.llm_parameters.use_citation',
      'messages.0',
      'messages.1',
      'messages.3',
    ]);
    const plain = await chat(id, { messages: [user('When?')] });
    expect(plain.start.messageMetadata).not.toHaveProperty('warnings');
  });

  it('is rejected if there is no question after the last answer', async () => {
    const id = await createPipeline();
    const messages = [
      user('When?'),
      { role: 'model', content: 'In 1893.' },
      { role: 'system', content: 'Go on.' },
    ];
    const answer = await call('POST', `/api/v1/pipelines/${id}/chat`, { body: { messages } });
    expect(answer.status).toBe(422);
  });
});
