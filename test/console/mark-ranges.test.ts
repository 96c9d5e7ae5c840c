import type { Element, Root } from 'hast';
import { expect, it } from 'vitest';
import { markRanges } from '../../console/src/screens/chat/mark-ranges.ts';

/** Builds the tree of a paragraph with these texts. Each text knows its place in the Markdown. */
function buildTree(source: string, texts: { value: string; start: number; end: number }[]): Root {
  const children = texts.map(({ value, start, end }) => ({
    type: 'text' as const,
    value,
    position: { start: { line: 1, column: 1, offset: start }, end: { line: 1, column: 1, offset: end } },
  }));
  expect(children.at(-1)!.position.end.offset).toBeLessThanOrEqual(source.length);
  return { type: 'root', children: [{ type: 'element', tagName: 'p', properties: {}, children }] };
}

/** Returns the texts of the paragraph. Marked texts are in brackets. */
function markTexts(source: string, texts: Parameters<typeof buildTree>[1], ranges: [number, number][]) {
  const tree = buildTree(source, texts);
  markRanges({ source, ranges: ranges.map(([start, end]) => ({ start, end })) })(tree);
  return (tree.children[0] as Element).children.map((child) => {
    if (child.type === 'text') return child.value;
    const [inner] = (child as Element).children;
    return `<${inner?.type === 'text' ? inner.value : ''}>`;
  });
}

it('marks the part of a text that a range covers', () => {
  const source = 'One. Two. Three.';
  const whole = [{ value: source, start: 0, end: source.length }];
  expect(markTexts(source, whole, [[5, 9]])).toEqual(['One. ', '<Two.>', ' Three.']);
  expect(
    markTexts(source, whole, [
      [0, 4],
      [10, 16],
    ]),
  ).toEqual(['<One.>', ' Two. ', '<Three.>']);
  expect(markTexts(source, whole, [])).toEqual([source]);
  expect(markTexts(source, whole, [[40, 50]])).toEqual([source]);
});

it('counts the Markdown that is not shown', () => {
  const source = 'a\\*b &amp; c\n> d ends';
  const shown = [{ value: 'a*b & c\nd ends', start: 0, end: source.length }];
  expect(markTexts(source, shown, [[source.indexOf('c'), source.indexOf(' ends')]])).toEqual([
    'a*b & ',
    '<c\nd>',
    ' ends',
  ]);
});

it('marks each of the texts between which a range extends', () => {
  const source = 'a **bold** end';
  const shown = [
    { value: 'a ', start: 0, end: 2 },
    { value: 'bold', start: 4, end: 8 },
    { value: ' end', start: 10, end: 14 },
  ];
  expect(markTexts(source, shown, [[0, 8]])).toEqual(['<a >', '<bold>', ' end']);
});
