import { z } from 'zod';
import { getErrorMessage } from '#src/lib/errors.ts';
import { compilePattern } from '#src/lib/text/pattern.ts';
import { PARSE_TIERS } from '../versions.ts';

// Rules in `auto_mode_configuration_json`: conditions on a page, and parameters for reading the pages that
// meet them.

export const PARSE_MODES = [
  'parse_document_with_agent',
  'parse_document_with_llm',
  'parse_document_with_lvm',
  'parse_page_with_agent',
  'parse_page_with_layout_agent',
  'parse_page_with_llm',
  'parse_page_with_lvm',
  'parse_page_without_llm',
] as const;

/** Maximum length of an instruction or prompt in characters. */
export const MAX_INSTRUCTION = 20_000;
/** Maximum length of any other text in characters. */
export const MAX_TEXT = 2_000;
const MAX_JSON_CHARACTERS = 100_000;
const MAX_RULES = 50;
/** Maximum number of rules with a pattern. Each pattern is searched on every page. */
const MAX_PATTERNS = 10;
const MAX_GLOBS = 50;
const MAX_GLOB_LENGTH = 255;

const instruction = () => z.string().max(MAX_INSTRUCTION).nullish();
const shortText = () => z.string().max(MAX_TEXT).nullish();
const flag = () => z.boolean().nullish();

/**
 * Members of `parsing_conf` that affect reading. Other members are stored, and the response warns about them.
 */
const READING = {
  parse_mode: z.enum(PARSE_MODES).nullish(),
  tier: z.enum(PARSE_TIERS).nullish(),
  premium_mode: flag(),
  premium_llm_mode: flag(),
  use_vendor_multimodal_model: flag(),
  continuous_mode: flag(),
  fast_mode: flag(),
  model: shortText(),
  vendor_multimodal_model_name: shortText(),
  custom_prompt: instruction(),
  user_prompt: instruction(),
  parsing_instruction: instruction(),
  is_formatting_instruction: flag(),
  formatting_instruction: instruction(),
  complemental_formatting_instruction: instruction(),
  content_guideline_instruction: instruction(),
  system_prompt: instruction(),
  system_prompt_append: instruction(),
  hide_headers: flag(),
  hide_footers: flag(),
  output_tables_as_HTML: flag(),
  version: shortText(),
};

export const isReadingMember = (member: string): boolean => Object.hasOwn(READING, member);

/** Accepts a number, or a text of digits that is converted to a number. */
const number = (most = 1e9) =>
  z
    .union([
      z.number(),
      z
        .string()
        .regex(/^\s*\d{1,9}(\.\d{1,9})?\s*$/, 'must be a number')
        .transform(Number),
    ])
    .pipe(z.number().min(0).max(most))
    .nullish();

/** Accepts the flags of a JavaScript pattern. Only those that change matching have an effect. */
const flags = () =>
  z
    .string()
    .regex(/^[gimsuy]{0,6}$/, 'may contain only the letters g, i, m, s, u and y')
    .nullish();
const glob = () => z.string().min(1).max(MAX_GLOB_LENGTH);

/** Kinds of items that are counted on a page. */
export const COUNTED = [
  'charts',
  'images',
  'layout_elements',
  'lines',
  'links',
  'numbers',
  'percent_numbers',
  'tables',
  'words',
] as const;
export type Counted = (typeof COUNTED)[number];

const counts = (bound: 'least' | 'most') =>
  Object.fromEntries(COUNTED.map((what) => [`page_contains_at_${bound}_n_${what}`, number()])) as {
    [What in Counted as `page_contains_at_${typeof bound}_n_${What}`]: ReturnType<typeof number>;
  };

const rule = z
  .strictObject({
    parsing_conf: z.looseObject(READING),
    trigger_mode: z.enum(['and', 'or']).nullish(),
    text_in_page: z.string().max(MAX_TEXT).nullish(),
    regexp_in_page: z.string().max(MAX_TEXT).nullish(),
    regexp_in_page_mode: flags(),
    table_in_page: flag(),
    image_in_page: flag(),
    full_page_image_in_page: flag(),
    full_page_image_in_page_threshold: number(1),
    filename_regexp: z.string().max(MAX_TEXT).nullish(),
    filename_regexp_mode: flags(),
    filename_match_glob: glob().nullish(),
    filename_match_glob_list: z.array(glob()).max(MAX_GLOBS).nullish(),
    layout_element_in_page: shortText(),
    layout_element_in_page_confidence_threshold: number(1),
    page_md_error: flag(),
    page_longer_than_n_chars: number(),
    page_shorter_than_n_chars: number(),
    ...counts('least'),
    ...counts('most'),
  })
  .superRefine(({ regexp_in_page, regexp_in_page_mode, filename_regexp, filename_regexp_mode }, context) => {
    const patterns = [
      ['regexp_in_page', regexp_in_page, regexp_in_page_mode],
      ['filename_regexp', filename_regexp, filename_regexp_mode],
    ] as const;
    for (const [name, source, mode] of patterns) {
      try {
        if (source) compilePattern(withFlags(source, mode));
      } catch (error) {
        context.addIssue({ code: 'custom', path: [name], message: getErrorMessage(error) });
      }
    }
  });

export type PageRule = z.output<typeof rule>;

const rules = z
  .array(rule)
  .max(MAX_RULES)
  .refine((given) => given.filter(({ regexp_in_page }) => regexp_in_page).length <= MAX_PATTERNS, {
    error: `at most ${MAX_PATTERNS} rules may have a regexp_in_page`,
  });

/** Adds flags to a pattern in RE2 syntax. */
export function withFlags(source: string, mode: string | null | undefined): string {
  const deciding = [...new Set(mode ?? '')].filter((letter) => 'ims'.includes(letter)).join('');
  return deciding === '' ? source : `(?${deciding})${source}`;
}

function readRules(json: string) {
  if (json.length > MAX_JSON_CHARACTERS)
    return `has ${json.length} characters; at most ${MAX_JSON_CHARACTERS} are allowed`;
  try {
    return rules.safeParse(JSON.parse(json));
  } catch {
    return 'must be JSON';
  }
}

/** Returns the errors in the rules with their paths. The list is empty if the rules are valid. */
export function findRuleErrors(json: string): { path: PropertyKey[]; message: string }[] {
  const found = readRules(json);
  if (typeof found === 'string') return [{ path: [], message: found }];
  return (found.error?.issues ?? []).map(({ path, message }) => ({ path, message }));
}

/** Parses rules that were validated before. Returns an empty list if there are none. */
export function parsePageRules(json: string | null | undefined): PageRule[] {
  const found = json ? readRules(json) : undefined;
  return typeof found === 'object' ? (found.data ?? []) : [];
}
