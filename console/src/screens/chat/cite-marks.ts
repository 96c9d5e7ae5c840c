import type { Element, ElementContent, Root, Text } from 'hast';

/**
 * Matches citation marks in the text of an answer: [1], [1, 2] or [1–3]. The service uses the same notation.
 */
const MARKS = /\[(\d{1,3}(?:\s?[,;–-]\s?\d{1,3})*)\]/g;
/** Maximum number of citations that a range such as [1–3] is expanded to. */
const MAX_RANGE_LENGTH = 20;

/**
 * Rehype plugin that turns each citation number in brackets into a `cite` element. Code and links are left
 * unchanged.
 */
export const citeMarks = () => (tree: Root) => replaceMarks(tree);

function replaceMarks(parent: Root | Element): void {
  parent.children = (parent.children as ElementContent[]).flatMap((child): ElementContent[] => {
    if (child.type === 'text') return splitAtMarks(child);
    if (child.type === 'element' && !['code', 'pre', 'a'].includes(child.tagName)) replaceMarks(child);
    return [child];
  });
}

function splitAtMarks({ value }: Text): ElementContent[] {
  const parts: ElementContent[] = [];
  let at = 0;
  for (const { 0: whole, 1: list, index } of value.matchAll(MARKS)) {
    if (index > at) parts.push({ type: 'text', value: value.slice(at, index) });
    parts.push(...parseNumbers(list!).map(cite));
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

const parseNumbers = (list: string): number[] =>
  list.split(/[,;]/).flatMap((part) => {
    const [first, last] = part.split(/[–-]/).map(Number) as [number, number?];
    const width = Math.min(MAX_RANGE_LENGTH, Math.max(0, (last ?? first) - first) + 1);
    return Array.from({ length: width }, (_, step) => first + step);
  });
