import type { FilterOperator } from '#src/ports/index-types.ts';

export type Comparison = Extract<FilterOperator, '==' | '!=' | '>' | '>=' | '<' | '<='>;

/**
 * Phrases before a value, such as "more than", by comparison. The first match counts, so "no more than" is
 * tested before "more than".
 */
const BEFORE: [Comparison, RegExp][] = [
  [
    '!=',
    buildSuffixPattern(
      'not|except|excluding|other than|without|not in|not from|niet|behalve|sauf|pas|nicht|außer|excepto|salvo|tranne|exceto|кроме|не|≠|!=',
    ),
  ],
  [
    '>=',
    buildSuffixPattern(
      'at least|no less than|not less than|not before|minimum(?: of)?|since|from|starting(?: in| on)?|minstens|vanaf|sinds|au moins|depuis|à partir de|mindestens|seit|ab|al menos|desde|almeno|pelo menos|co najmniej|≥|>=|не менее|с',
    ),
  ],
  [
    '<=',
    buildSuffixPattern(
      "at most|no more than|not more than|not after|up to|until|till|through|maximum(?: of)?|hoogstens|tot en met|au plus|jusqu’à|jusqu'à|höchstens|bis|como máximo|hasta|al massimo|fino a|no máximo|até|≤|<=|не более|до",
    ),
  ],
  [
    '>',
    buildSuffixPattern(
      'more than|greater than|larger than|bigger than|higher than|longer than|older than|over|above|after|later than|exceeding|meer dan|groter dan|boven|na|plus de|après|supérieur à|mehr als|größer als|über|nach|más de|mayor que|después de|più di|dopo|mais de|depois de|więcej niż|po|>|более|больше|после',
    ),
  ],
  [
    '<',
    buildSuffixPattern(
      'less than|fewer than|smaller than|lower than|shorter than|younger than|under|below|before|earlier than|prior to|minder dan|kleiner dan|onder|voor|moins de|avant|inférieur à|weniger als|kleiner als|unter|vor|menos de|menor que|antes de|meno di|prima di|mniej niż|przed|<|менее|меньше',
    ),
  ],
];

function buildSuffixPattern(words: string): RegExp {
  return new RegExp(`(?:^|[\\s(])(?:${words})\\s*(?:the\\s+|year\\s+|[$€£]\\s*)?$`, 'iu');
}

const OR_MORE =
  /^\s*(?:or|of|oder|ou|o|и)\s+(?:more|later|newer|higher|above|after|meer|later|mehr|plus|más|più|mais|более)\b/iu;
const OR_LESS =
  /^\s*(?:or|of|oder|ou|o|и)\s+(?:less|earlier|older|lower|below|before|fewer|minder|weniger|moins|menos|meno|менее)\b/iu;
export const BETWEEN = /(?:between|from|tussen|van|entre|de|zwischen|von|tra|fra|da|между|с|od)\s*$/iu;
export const AND = /^\s*(?:and|to|until|through|en|tot|et|à|und|bis|y|a|e|и|по|до|do|–|—|-)\s*$/iu;

/** Returns the comparison that the words around a value in a query express. */
export function findComparison(query: string, start: number, end: number): Comparison {
  const after = query.slice(end, end + 24);
  if (OR_MORE.test(after)) return '>=';
  if (OR_LESS.test(after)) return '<=';
  const before = query.slice(Math.max(0, start - 32), start);
  return BEFORE.find(([, pattern]) => pattern.test(before))?.[0] ?? '==';
}
