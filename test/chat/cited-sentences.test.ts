import { expect, it } from 'vitest';
import { findCitedSentences } from '#src/chat/cited-sentences.ts';
import { chunkSaying, foundIn } from '#test/support/chat-jobs.ts';

const quay = 'Cats sleep. **The quay** is\nnine metres long. The İsle is far away.';
const light = 'The lighthouse is white.';
const found = [quay, light].flatMap((text) => foundIn({ ...chunkSaying(text), startChar: 100 }).chunks);

/** Returns the located sentences as text, each with its citation. */
const locate = (answer: string, passages = found) =>
  findCitedSentences(answer, passages).map(({ citation, sentence }) => [citation, sentence.chunk.text]);

it('finds the quoted sentence whatever its Markdown, spaces and capital letters are', () => {
  expect(locate('the quay is nine metres long. [1]')).toEqual([[1, 'The quay** is\nnine metres long']]);
});

it('gives the position of the sentence in the document', () => {
  const [located] = findCitedSentences('The lighthouse is white. [2]', found);
  expect(located!.sentence.chunk).toMatchObject({ startChar: 100, endChar: 100 + light.length - 1 });
  expect(located!.sentence.chunk.id).toBe(found[1]!.chunk.id);
  expect(located!.range).toEqual({ start: 0, end: light.length - 1 });
});

it('a letter that is longer in lower case does not move the sentence', () => {
  expect(locate('The İsle is far away. [1]')).toEqual([[1, 'The İsle is far away']]);
});

it('each mark cites the text after the previous mark', () => {
  const answer = 'The quay is nine metres long. [1] The lighthouse is white. [2]';
  expect(locate(answer)).toEqual([
    [1, 'The quay** is\nnine metres long'],
    [2, 'The lighthouse is white'],
  ]);
});

it('marks that stand beside each other cite the same text', () => {
  const twice = [found[1]!, found[1]!];
  const both = [1, 2].map((citation) => [citation, 'The lighthouse is white']);
  expect(locate('The lighthouse is white. [1][2]', twice)).toEqual(both);
  expect(locate('The lighthouse is white. [1, 2]', twice)).toEqual(both);
});

it('finds nothing if the text is too short, is not in the passage, or has no passage', () => {
  expect(locate('Cats. [1] The lighthouse is tall and white. [2] The lighthouse is white. [3] [1]')).toEqual(
    [],
  );
  expect(locate('The lighthouse is white. [1]')).toEqual([]);
});

it('locates at most 40 quotes', () => {
  expect(locate('The lighthouse is white. [2] '.repeat(50))).toHaveLength(40);
});
