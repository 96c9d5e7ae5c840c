import type { Element, ElementContent, Root, Text } from 'hast';

/** As the service finds them in a text: [1], [1, 2], [1–3]. */
const MARKS = /\[(\d{1,3}(?:\s?[,;–-]\s?\d{1,3})*)\]/g;
/** Numbers of one range that are shown as marks. */
const WIDEST_RANGE = 20;

/** Makes a `cite` element of each number in brackets, outside of code and links. For rehype. */
export const citeMarks = () => (tree: Root) => within(tree);

function within(parent: Root | Element): void {
  parent.children = (parent.children as ElementContent[]).flatMap((child): ElementContent[] => {
    if (child.type === 'text') return marked(child);
    if (child.type === 'element' && !['code', 'pre', 'a'].includes(child.tagName)) within(child);
    return [child];
  });
}

function marked({ value }: Text): ElementContent[] {
  const parts: ElementContent[] = [];
  let at = 0;
  for (const { 0: whole, 1: list, index } of value.matchAll(MARKS)) {
    if (index > at) parts.push({ type: 'text', value: value.slice(at, index) });
    parts.push(...numbersOf(list!).map(cite));
    at = index + whole.length;
  }
  if (at < value.length) parts.push({ type: 'text', value: value.slice(at) });
  return parts;
}

const cite = (number: number): Element => ({
  type: 'element',
  tagName: 'cite',
  properties: {},
  children: [{ type: 'text', value: String(number) }],
});

const numbersOf = (list: string): number[] =>
  list.split(/[,;]/).flatMap((part) => {
    const [first, last] = part.split(/[–-]/).map(Number) as [number, number?];
    const width = Math.min(WIDEST_RANGE, Math.max(0, (last ?? first) - first) + 1);
    return Array.from({ length: width }, (_, step) => first + step);
  });
