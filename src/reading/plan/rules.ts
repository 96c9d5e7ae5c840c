import type { Block } from '#src/documents/document.ts';
import type { StoredPage } from '#src/documents/page-store.ts';
import { compilePattern, PatternError } from '#src/lib/text/pattern.ts';
import { COUNTED, type Counted, type PageRule, withFlags } from '#src/parse/parameters/page-rules.ts';
import {
  FULL_PAGE_SHARE,
  filterBlocks,
  findNumbers,
  getCoverage,
  listPartialFigures,
  listRelevantFigures,
  splitIntoWords,
} from './page-facts.ts';

export interface AppliedRule {
  at: number;
  reason: string;
}

/**
 * Finds the first rule whose conditions the page meets. Returns `undefined` if no rule applies. `fileName` is
 * the name of the document.
 */
export function findRule(
  page: StoredPage,
  fileName: string,
  rules: readonly PageRule[],
): AppliedRule | undefined {
  for (const [at, rule] of rules.entries()) {
    const conditions = evaluateConditions(rule, page, fileName);
    const found = conditions.filter(({ holds }) => holds).map(({ name }) => name);
    const applies =
      rule.trigger_mode === 'or' && conditions.length > 0
        ? found.length > 0
        : found.length === conditions.length;
    if (!applies) continue;
    const why = found.length > 0 ? `: ${found.join(', ')}` : ', which has no condition';
    return { at, reason: `rule ${at + 1} of auto_mode_configuration_json${why}.` };
  }
  return undefined;
}

export const dependsOnFileName = (rules: readonly PageRule[]): boolean =>
  rules.some((rule) => rule.filename_regexp || listGlobs(rule).length > 0);

interface Condition {
  name: string;
  holds: boolean;
}

function evaluateConditions(rule: PageRule, page: StoredPage, fileName: string): Condition[] {
  const { text, markdown } = page;
  const found: Condition[] = [];
  const addCondition = (name: keyof PageRule, value: unknown, holds: () => boolean) => {
    if (value !== null && value !== undefined && value !== '' && value !== false)
      found.push({ name, holds: holds() });
  };
  const { text_in_page: wanted, regexp_in_page: pattern, layout_element_in_page: element } = rule;
  const length = Math.max(text.length, markdown.length);
  addCondition('text_in_page', wanted, () =>
    `${text}\n${markdown}`.toLowerCase().includes(wanted!.toLowerCase()),
  );
  addCondition('regexp_in_page', pattern, () => matchesPattern(pattern!, rule.regexp_in_page_mode, markdown));
  addCondition('table_in_page', rule.table_in_page, () => filterBlocks(page, 'table').length > 0);
  addCondition('image_in_page', rule.image_in_page, () => listPartialFigures(page).length > 0);
  addCondition('full_page_image_in_page', rule.full_page_image_in_page, () => {
    const least = rule.full_page_image_in_page_threshold ?? FULL_PAGE_SHARE;
    return listRelevantFigures(page).some((figure) => getCoverage(figure, page) >= least);
  });
  addCondition('filename_regexp', rule.filename_regexp, () =>
    matchesPattern(rule.filename_regexp!, rule.filename_regexp_mode, fileName),
  );
  const globs = listGlobs(rule);
  addCondition(
    rule.filename_match_glob ? 'filename_match_glob' : 'filename_match_glob_list',
    globs.length > 0,
    () => globs.some((glob) => matchesPattern(globToPattern(glob), 'i', fileName)),
  );
  addCondition('layout_element_in_page', element, () => {
    const type = findBlockType(element!);
    return type !== undefined && filterBlocks(page, type).length > 0;
  });
  addCondition('page_md_error', rule.page_md_error, () => page.needsOcr === true || page.error !== undefined);
  addCondition(
    'page_longer_than_n_chars',
    rule.page_longer_than_n_chars,
    () => length > rule.page_longer_than_n_chars!,
  );
  addCondition(
    'page_shorter_than_n_chars',
    rule.page_shorter_than_n_chars,
    () => length < rule.page_shorter_than_n_chars!,
  );
  for (const counted of COUNTED) {
    const [atLeast, atMost] = [
      `page_contains_at_least_n_${counted}`,
      `page_contains_at_most_n_${counted}`,
    ] as const;
    // The parser cannot distinguish charts from other pictures, so conditions on the number of charts are
    // never met.
    const count = COUNTERS[counted]?.(page) ?? Number.NaN;
    addCondition(atLeast, rule[atLeast], () => count >= rule[atLeast]!);
    addCondition(atMost, rule[atMost], () => count <= rule[atMost]!);
  }
  return found;
}

const COUNTERS: Record<Counted, ((page: StoredPage) => number) | undefined> = {
  charts: undefined,
  images: (page) => listPartialFigures(page).length,
  layout_elements: ({ blocks }) => blocks.length,
  lines: ({ text }) => text.split('\n').filter((line) => line.trim() !== '').length,
  links: ({ links }) => links.length,
  numbers: ({ text }) => findNumbers(text).length,
  percent_numbers: ({ text }) => {
    const words = text.split(/\s+/).filter((word) => word !== '').length;
    return words === 0 ? 0 : (100 * findNumbers(text).length) / words;
  },
  tables: (page) => filterBlocks(page, 'table').length,
  words: ({ text }) => splitIntoWords(text).length,
};

const ELEMENTS: Record<string, Block['type']> = {
  table: 'table',
  figure: 'figure',
  picture: 'figure',
  image: 'figure',
  heading: 'heading',
  title: 'heading',
  section_header: 'heading',
  list: 'list',
  list_item: 'list',
  code: 'code',
  text: 'paragraph',
  paragraph: 'paragraph',
  header: 'header',
  page_header: 'header',
  footer: 'footer',
  page_footer: 'footer',
};

export function findBlockType(name: string): Block['type'] | undefined {
  const plain = name
    .trim()
    .toLowerCase()
    .replace(/[\s-]+/g, '_');
  return Object.hasOwn(ELEMENTS, plain) ? ELEMENTS[plain] : undefined;
}

const listGlobs = ({ filename_match_glob, filename_match_glob_list }: PageRule): string[] => [
  ...(filename_match_glob ? [filename_match_glob] : []),
  ...(filename_match_glob_list ?? []),
];

/**
 * Converts a glob to a regular expression. `*` matches any number of characters, and `?` matches one
 * character.
 */
function globToPattern(glob: string): string {
  const escaped = glob.replace(/[\\^$.|+()[\]{}]/g, '\\$&');
  return `^${escaped.replace(/\*+/g, '.*').replaceAll('?', '.')}$`;
}

/**
 * Returns whether a text matches a regular expression. Also returns true if the text is too long to be
 * searched.
 */
function matchesPattern(source: string, mode: string | null | undefined, text: string): boolean {
  try {
    return compilePattern(withFlags(source, mode)).test(text);
  } catch (error) {
    if (!(error instanceof PatternError)) throw error;
    return true;
  }
}
