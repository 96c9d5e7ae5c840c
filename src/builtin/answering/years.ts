import type { AnswerNode } from './analyse-question.ts';

/** Matches a number of four digits that is usually a year. */
const YEAR = /(?<!\p{Nd})(?:1\p{Nd}|2[01])\p{Nd}{2}(?!\p{Nd})/gu;

/**
 * Returns the indexes of the nodes that contain all years of the question. A node without these years is usually
 * about another event of the same kind. Returns all indexes if the question contains no year, or if no node
 * contains them all, because passages often leave out the year of their subject.
 */
export function selectNodesWithYears(
  question: string,
  nodes: readonly AnswerNode[],
  maxCharacters: number,
): ReadonlySet<number> {
  const asked = findYears(question);
  const all = nodes.map((_, index) => index);
  if (asked.size === 0) return new Set(all);
  const dated = all.filter((index) => {
    const { text, title = '', headings = [] } = nodes[index]!;
    const years = findYears([title, ...headings, text.slice(0, maxCharacters)].join('\n'));
    return [...asked].every((year) => years.has(year));
  });
  return new Set(dated.length > 0 ? dated : all);
}

const findYears = (text: string): Set<string> => new Set(text.normalize('NFKC').match(YEAR) ?? []);
