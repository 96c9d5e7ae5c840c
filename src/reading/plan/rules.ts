import type { Block } from '#src/documents/document.ts';
import type { StoredPage } from '#src/documents/page-store.ts';
import { compilePattern, PatternError } from '#src/lib/text/pattern.ts';
import { COUNTED, type Counted, type PageRule, withFlags } from '#src/parse/parameters/page-rules.ts';
import {
  blocksOf,
  coverOf,
  FULL_PAGE,
  numbersOf,
  picturesOf,
  smallPicturesOf,
  wordsOf,
} from './page-facts.ts';

/** The first rule that applies to a page, with its index and the conditions that hold. */
export interface AppliedRule {
  at: number;
  reason: string;
}

/** Returns the rule for a page; undefined if none applies. `fileName` is that of the document. */
export function ruleFor(
  page: StoredPage,
  fileName: string,
  rules: readonly PageRule[],
): AppliedRule | undefined {
  for (const [at, rule] of rules.entries()) {
    const held = conditionsOf(rule, page, fileName);
    const found = held.filter(({ holds }) => holds).map(({ name }) => name);
    // A rule without conditions applies to every page.
    const applies =
      rule.trigger_mode === 'or' && held.length > 0 ? found.length > 0 : found.length === held.length;
    if (!applies) continue;
    const why = found.length > 0 ? `: ${found.join(', ')}` : ', which has no condition';
    return { at, reason: `rule ${at + 1} of auto_mode_configuration_json${why}.` };
  }
  return undefined;
}

/** Returns whether a rule depends on the document's name. */
export const asksForName = (rules: readonly PageRule[]): boolean =>
  rules.some((rule) => rule.filename_regexp || globsOf(rule).length > 0);

interface Condition {
  name: string;
  holds: boolean;
}

function conditionsOf(rule: PageRule, page: StoredPage, fileName: string): Condition[] {
  const { text, markdown } = page;
  const found: Condition[] = [];
  const when = (name: keyof PageRule, value: unknown, holds: () => boolean) => {
    if (value !== null && value !== undefined && value !== '' && value !== false)
      found.push({ name, holds: holds() });
  };
  const { text_in_page: wanted, regexp_in_page: pattern, layout_element_in_page: element } = rule;
  const length = Math.max(text.length, markdown.length);
  when('text_in_page', wanted, () => `${text}\n${markdown}`.toLowerCase().includes(wanted!.toLowerCase()));
  when('regexp_in_page', pattern, () => matches(pattern!, rule.regexp_in_page_mode, markdown));
  when('table_in_page', rule.table_in_page, () => blocksOf(page, 'table').length > 0);
  when('image_in_page', rule.image_in_page, () => smallPicturesOf(page).length > 0);
  when('full_page_image_in_page', rule.full_page_image_in_page, () => {
    const least = rule.full_page_image_in_page_threshold ?? FULL_PAGE;
    return picturesOf(page).some((figure) => coverOf(figure, page) >= least);
  });
  when('filename_regexp', rule.filename_regexp, () =>
    matches(rule.filename_regexp!, rule.filename_regexp_mode, fileName),
  );
  const globs = globsOf(rule);
  when(rule.filename_match_glob ? 'filename_match_glob' : 'filename_match_glob_list', globs.length > 0, () =>
    globs.some((glob) => matches(patternOfGlob(glob), 'i', fileName)),
  );
  when('layout_element_in_page', element, () => {
    const type = elementNamed(element!);
    return type !== undefined && blocksOf(page, type).length > 0;
  });
  when('page_md_error', rule.page_md_error, () => page.needsOcr === true || page.error !== undefined);
  when(
    'page_longer_than_n_chars',
    rule.page_longer_than_n_chars,
    () => length > rule.page_longer_than_n_chars!,
  );
  when(
    'page_shorter_than_n_chars',
    rule.page_shorter_than_n_chars,
    () => length < rule.page_shorter_than_n_chars!,
  );
  for (const what of COUNTED) {
    const [atLeast, atMost] = [
      `page_contains_at_least_n_${what}`,
      `page_contains_at_most_n_${what}`,
    ] as const;
    // Charts cannot be distinguished from other pictures, so conditions on their number never hold.
    const count = COUNTS[what]?.(page) ?? Number.NaN;
    when(atLeast, rule[atLeast], () => count >= rule[atLeast]!);
    when(atMost, rule[atMost], () => count <= rule[atMost]!);
  }
  return found;
}

const COUNTS: Record<Counted, ((page: StoredPage) => number) | undefined> = {
  charts: undefined,
  images: (page) => smallPicturesOf(page).length,
  layout_elements: ({ blocks }) => blocks.length,
  lines: ({ text }) => text.split('\n').filter((line) => line.trim() !== '').length,
  links: ({ links }) => links.length,
  numbers: ({ text }) => numbersOf(text).length,
  percent_numbers: ({ text }) => {
    const words = text.split(/\s+/).filter((word) => word !== '').length;
    return words === 0 ? 0 : (100 * numbersOf(text).length) / words;
  },
  tables: (page) => blocksOf(page, 'table').length,
  words: ({ text }) => wordsOf(text).length,
};

/** Block types by the names that callers use. */
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

/** Returns the block type of a name; undefined if there is none. */
export function elementNamed(name: string): Block['type'] | undefined {
  const plain = name
    .trim()
    .toLowerCase()
    .replace(/[\s-]+/g, '_');
  return Object.hasOwn(ELEMENTS, plain) ? ELEMENTS[plain] : undefined;
}

const globsOf = ({ filename_match_glob, filename_match_glob_list }: PageRule): string[] => [
  ...(filename_match_glob ? [filename_match_glob] : []),
  ...(filename_match_glob_list ?? []),
];

/** Converts a glob to a pattern: `*` matches any characters, and `?` matches one. */
function patternOfGlob(glob: string): string {
  const escaped = glob.replace(/[\\^$.|+()[\]{}]/g, '\\$&');
  return `^${escaped.replace(/\*+/g, '.*').replaceAll('?', '.')}$`;
}

/** A text that is too long for its pattern counts as a match. */
function matches(source: string, mode: string | null | undefined, text: string): boolean {
  try {
    return compilePattern(withFlags(source, mode)).test(text);
  } catch (error) {
    if (!(error instanceof PatternError)) throw error;
    return true;
  }
}
