import { describe, expect, it } from 'vitest';
import { condenseQuestion } from '#src/chat/condense.ts';
import type { Turn } from '#src/chat/input.ts';
import { type ModelRequest, modelReplying } from '#test/support/fake-model.ts';

const LAST_QUESTION = 'And who designed it?';
const asked = (text: string): Turn => ({ role: 'user', text });
const answered = (text: string): Turn => ({ role: 'assistant', text });

/** Condenses a question after the given turns and returns the texts of the turns that the model received. */
async function listSentTurns(before: Turn[]): Promise<string[]> {
  const requests: ModelRequest[] = [];
  await condenseQuestion([...before, asked(LAST_QUESTION)], modelReplying('Who?', requests));
  const { conversation } = JSON.parse(requests[0]!.prompt.at(-1)!.content[0]!.text) as {
    conversation: Turn[];
  };
  return conversation.map(({ text }) => text);
}

/** Condenses a question with a model that replies with this text. */
const condense = (reply: string) =>
  condenseQuestion([asked('When was the old bridge built?'), asked(LAST_QUESTION)], modelReplying(reply));

describe('condenseQuestion', () => {
  it('sends an earlier turn of 600 characters to the model as a whole', async () => {
    const text = `${'a'.repeat(599)}z`;
    expect(await listSentTurns([asked(text)])).toEqual([text]);
  });

  it('cuts an earlier turn of 601 characters to 600', async () => {
    expect(await listSentTurns([asked(`${'a'.repeat(600)}z`)])).toEqual(['a'.repeat(600)]);
  });

  it('sends the last 8 of the earlier turns', async () => {
    const before = Array.from({ length: 9 }, (_, at) => (at % 2 ? answered : asked)(`Turn ${at}`));
    expect(await listSentTurns(before)).toEqual(before.slice(1).map(({ text }) => text));
  });

  it('searches for a rewritten question of 1000 characters', async () => {
    const question = 'q'.repeat(1_000);
    expect(await condense(question)).toEqual({
      question,
      notes: { condenser: 'm', searched_for: question },
    });
  });

  it('rejects a rewritten question of 1001 characters, and rewrites it without the model', async () => {
    const { notes } = await condense('q'.repeat(1_001));
    expect(notes).toMatchObject({
      condenser: 'builtin/follow-up-1',
      condenser_fallback: 'm failed: its answer is not a question',
    });
  });

  it('adds no notes if the model repeats the question', async () => {
    expect(await condense(LAST_QUESTION)).toEqual({ question: LAST_QUESTION, notes: {} });
  });

  it('asks the model for its most likely answer', async () => {
    const requests: ModelRequest[] = [];
    await condenseQuestion([asked('When?'), asked(LAST_QUESTION)], modelReplying('Who?', requests));
    expect(requests).toMatchObject([{ temperature: 0 }]);
  });
});
