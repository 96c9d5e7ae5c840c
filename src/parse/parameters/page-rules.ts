import { z } from 'zod';
import { messageOf } from '#src/lib/errors.ts';
import { compilePattern } from '#src/lib/text/pattern.ts';
import { PARSE_TIERS } from '../versions.ts';

// Rules of auto_mode_configuration_json: conditions on a page, and how to read it then.

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

/** Maximum characters of an instruction or prompt. */
export const MOST_INSTRUCTION = 20_000;
/** Maximum characters of any other text. */
export const MOST_TEXT = 2_000;
const MOST_CHARACTERS = 100_000;
const MOST_RULES = 50;
/** Maximum patterns and globs, because each is searched on every page. */
const MOST_PATTERNS = 10;
const MOST_GLOBS = 50;
const LONGEST_GLOB = 255;

const instruction = () => z.string().max(MOST_INSTRUCTION).nullish();
const told = () => z.string().max(MOST_TEXT).nullish();
const flag = () => z.boolean().nullish();

/**
 * Members of `parsing_conf` with an effect on reading. Others are stored, and the response warns about them.
 */
const READING = {
  parse_mode: z.enum(PARSE_MODES).nullish(),
  tier: z.enum(PARSE_TIERS).nullish(),
  premium_mode: flag(),
  premium_llm_mode: flag(),
  use_vendor_multimodal_model: flag(),
  continuous_mode: flag(),
  fast_mode: flag(),
  model: told(),
  vendor_multimodal_model_name: told(),
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
  version: told(),
};

export const isOfReading = (member: string): boolean => Object.hasOwn(READING, member);

/** A number, or a text of digits. */
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

/** Flags of JavaScript patterns. Only those that change matching have an effect. */
const flags = () =>
  z
    .string()
    .regex(/^[gimsuy]{0,6}$/, 'may have the letters g, i, m, s, u and y')
    .nullish();
const glob = () => z.string().min(1).max(LONGEST_GLOB);

/** Items that are counted on a page. */
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

const counts = (way: 'least' | 'most') =>
  Object.fromEntries(COUNTED.map((what) => [`page_contains_at_${way}_n_${what}`, number()])) as {
    [What in Counted as `page_contains_at_${typeof way}_n_${What}`]: ReturnType<typeof number>;
  };

const rule = z
  .strictObject({
    parsing_conf: z.looseObject(READING),
    trigger_mode: z.enum(['and', 'or']).nullish(),
    text_in_page: z.string().max(MOST_TEXT).nullish(),
    regexp_in_page: z.string().max(MOST_TEXT).nullish(),
    regexp_in_page_mode: flags(),
    table_in_page: flag(),
    image_in_page: flag(),
    full_page_image_in_page: flag(),
    full_page_image_in_page_threshold: number(1),
    filename_regexp: z.string().max(MOST_TEXT).nullish(),
    filename_regexp_mode: flags(),
    filename_match_glob: glob().nullish(),
    filename_match_glob_list: z.array(glob()).max(MOST_GLOBS).nullish(),
    layout_element_in_page: told(),
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
        context.addIssue({ code: 'custom', path: [name], message: messageOf(error) });
      }
    }
  });

export type PageRule = z.output<typeof rule>;

const rules = z
  .array(rule)
  .max(MOST_RULES)
  .refine((given) => given.filter(({ regexp_in_page }) => regexp_in_page).length <= MOST_PATTERNS, {
    error: `at most ${MOST_PATTERNS} of them may have a regexp_in_page`,
  });

/** Writes the effect of flags into a pattern, in RE2 syntax. */
export function withFlags(source: string, mode: string | null | undefined): string {
  const deciding = [...new Set(mode ?? '')].filter((letter) => 'ims'.includes(letter)).join('');
  return deciding === '' ? source : `(?${deciding})${source}`;
}

function read(json: string) {
  if (json.length > MOST_CHARACTERS) return `has ${json.length} characters; ${MOST_CHARACTERS} are allowed`;
  try {
    return rules.safeParse(JSON.parse(json));
  } catch {
    return 'must be JSON';
  }
}

/** Returns the errors of the rules with their paths. */
export function whyNoRules(json: string): { path: PropertyKey[]; message: string }[] {
  const found = read(json);
  if (typeof found === 'string') return [{ path: [], message: found }];
  return (found.error?.issues ?? []).map(({ path, message }) => ({ path, message }));
}

/** Returns the rules of validated parameters; empty if there are none. */
export function pageRulesOf(json: string | null | undefined): PageRule[] {
  const found = json ? read(json) : undefined;
  return typeof found === 'object' ? (found.data ?? []) : [];
}
