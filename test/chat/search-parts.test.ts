import { describe, expect, it } from 'vitest';
import { searchParts, splitQuestion } from '#src/chat/search-parts.ts';
import { chunkSaying, foundIn } from '#test/support/chat-jobs.ts';
import { type ModelRequest, modelReplying } from '#test/support/fake-model.ts';

const QUESTION = 'When was the old bridge built, and who designed the stone arch?';
const BUILTIN_PARTS = ['When was the old bridge built', 'who designed the stone arch?'];

const split = (reply: string) => splitQuestion(QUESTION, modelReplying(reply));

describe('splitQuestion', () => {
  it('searches for each line that the model replies with', async () => {
    const parts = ['When was the bridge built?', 'Who designed the arch?'];
    expect(await split(parts.join('\n'))).toEqual({
      parts,
      notes: { splitter: 'm', searched_parts: JSON.stringify(parts) },
    });
  });

  it('searches once, and adds no notes, if the model replies with a single question', async () => {
    expect(await split('When and by whom was the bridge built?')).toEqual({
      parts: ['When and by whom was the bridge built?'],
      notes: {},
    });
  });

  it('splits the question without the model if the model replies with nothing', async () => {
    expect(await split('\n')).toEqual({
      parts: BUILTIN_PARTS,
      notes: {
        splitter: 'builtin/question-parts-1',
        splitter_fallback: 'm failed: its answer is not a list of questions',
        searched_parts: JSON.stringify(BUILTIN_PARTS),
      },
    });
  });

  it('searches for a part of 500 characters', async () => {
    const parts = ['Who?', 'q'.repeat(500)];
    expect((await split(parts.join('\n'))).parts).toEqual(parts);
  });

  it('splits the question without the model if the model replies with a part of 501 characters', async () => {
    expect((await split(`Who?\n${'q'.repeat(501)}`)).parts).toEqual(BUILTIN_PARTS);
  });

  it('asks the model for its most likely answer', async () => {
    const requests: ModelRequest[] = [];
    await splitQuestion(QUESTION, modelReplying('Who?', requests));
    expect(requests).toMatchObject([{ temperature: 0 }]);
  });
});

describe('searchParts', () => {
  /** Returns a search that takes the given seconds for each part. */
  const searchTaking = (seconds: Record<string, number>) => async (part: string) => ({
    ...foundIn(chunkSaying(part, { id: part })),
    latency: { search: seconds[part]! },
  });

  it('reports the latency of the slowest part', async () => {
    const { latency } = await searchParts(['a', 'b', 'c'], searchTaking({ a: 0.25, b: 0.5, c: 0.125 }));
    expect(latency).toEqual({ search: 0.5 });
  });

  it('returns a chunk once that several parts find', async () => {
    const { chunks } = await searchParts(['a', 'b'], async () => foundIn(chunkSaying('The old bridge.')));
    expect(chunks.map(({ chunk }) => chunk.id)).toEqual(['chunk']);
  });
});
