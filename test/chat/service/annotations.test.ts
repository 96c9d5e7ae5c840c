import { expect, it } from 'vitest';
import { buildAnnotations } from '#src/chat/sessions/annotations.ts';
import { toCitation, toSource } from '#src/chat/sources.ts';
import { chunkSaying, foundIn } from '#test/support/chat-jobs.ts';

const BOX = { page_index: 0, page_width: 600, page_height: 800, x: 1.25, y: 2.25, w: 300.5, h: 12.5 };

/** Returns an answer with many long sources that cites the last two of them with many bounding boxes. */
function largest() {
  const found = Array.from({ length: 100 }, (_, index) => {
    const title = '書'.repeat(3_000);
    return foundIn(chunkSaying('\u0001"書'.repeat(5_000), { id: `n${index}`, title })).chunks[0]!;
  });
  const boxes = Array<typeof BOX>(1_500).fill(BOX);
  return {
    status: 'complete' as const,
    text: 'said',
    sources: found.map((each, index) => toSource(each, index + 1)),
    citations: [99, 100].map((number) => toCitation(number, found[number - 1]!, boxes)),
    metadata: { model: 'm' },
  };
}

it('the annotations of the largest answer fit into a row', () => {
  const annotations = buildAnnotations(largest());
  expect(new TextEncoder().encode(JSON.stringify(annotations)).length).toBeLessThan(790_000);
});

it('keeps the text of cited sources, and marks the other sources as cut', () => {
  const [sources, citations] = buildAnnotations(largest()).map(({ data }) => JSON.parse(data));
  const of = (number: number) => sources.nodes[number - 1];
  expect(of(99)).toMatchObject({ id: 'n98', cited: true });
  expect(of(99).text).toHaveLength(8_000);
  expect(of(1).text).toHaveLength(8_000);
  expect(of(98)).toMatchObject({ text: '', text_cut: true, cited: false, document_id: 'document' });
  expect(
    citations.citations.map(({ bounding_boxes }: { bounding_boxes: [] }) => bounding_boxes.length),
  ).toEqual([1_500, 0]);
});

it('stores a citation without any boxes if the boxes of its sentences exceed the limit', () => {
  const { chunks } = foundIn(chunkSaying('said'));
  const ranges = [{ start: 0, end: 4 }];
  const small = toCitation(1, chunks[0]!, [BOX], { boxes: [BOX], ranges });
  const large = toCitation(2, chunks[0]!, [BOX], { boxes: Array<typeof BOX>(2_000).fill(BOX), ranges });
  const answer = { ...largest(), citations: [large, small] };
  const stored = JSON.parse(buildAnnotations(answer)[1]!.data).citations;
  expect(stored[0]).toMatchObject({ citation: 2, bounding_boxes: [], sentence_ranges: ranges });
  expect(stored[0]).not.toHaveProperty('sentence_bounding_boxes');
  expect(stored[1]).toEqual(small);
});
