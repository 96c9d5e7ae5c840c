import type { StoredPage } from '#src/documents/page-store.ts';
import { compilePattern, PatternError } from '#src/lib/text/pattern.ts';
import { isReadingMember, type PageRule, parsePageRules } from '#src/parse/parameters/page-rules.ts';
import type { ParseParameters } from '#src/parse/parameters/parameters.ts';
import { type ParsePlan, resolveParsePlan } from '#src/parse/plan.ts';
import { filterBlocks, hasColumns, listRelevantFigures } from './page-facts.ts';
import { needsModel, type ReadingPlan, resolveReadingPlan } from './plan.ts';
import { applyPreset, MODE_PARAMETERS } from './presets.ts';
import { findRule } from './rules.ts';

/** OCR confidence, from 0 to 1, below which a page probably contains recognition errors. */
const MIN_OCR_CONFIDENCE = 0.8;

const hasPicture = ({ figures, blocks }: StoredPage) =>
  figures.some(({ isLikelyNoise }) => !isLikelyNoise) || blocks.some(({ type }) => type === 'figure');

const hasText = ({ text }: StoredPage, wanted: string) => text.toLowerCase().includes(wanted.toLowerCase());

/**
 * Matches characters from fonts that do not state the Unicode values of their glyphs: the replacement
 * character and private-use characters.
 */
const UNKNOWN_CHARACTER = /[\uFFFD\uE000-\uF8FF]/;

/**
 * Plan for reading pages: the reading mode, the parse parameters, and the parse plan that results from the
 * parameters.
 */
export interface PagePlan {
  readingPlan: ReadingPlan;
  parameters: ParseParameters;
  parse: ParsePlan;
}

/**
 * Plans for the pages of a document. `base` is for pages to which no rule applies, and each rule has a plan
 * of its own.
 */
export interface PagePlans {
  base: PagePlan;
  rules: readonly PageRule[];
  rulePlans: readonly PagePlan[];
}

export function planPages(given: ParseParameters): PagePlans {
  const parameters = applyPreset(given);
  const rules = parsePageRules(parameters.auto_mode_configuration_json);
  const base = { readingPlan: resolveReadingPlan(given), parameters, parse: resolveParsePlan(parameters) };
  return { base, rules, rulePlans: rules.map(({ parsing_conf }) => planRulePages(parameters, parsing_conf)) };
}

/** Returns whether the parser alone may read some pages while a language model reads the others. */
export const canLeavePagesToParser = ({ base, rules }: PagePlans): boolean =>
  base.readingPlan.isTriggered || rules.length > 0 || base.parameters.enable_cost_optimizer === true;

export const listPagePlans = ({ base, rulePlans }: PagePlans): PagePlan[] => [base, ...rulePlans];

/**
 * Creates the plan for pages to which a rule applies. If the rule sets no mode, the mode of the parse is
 * used. If that mode uses no model, the mode of `auto_mode` is used instead.
 */
function planRulePages(parameters: ParseParameters, conf: PageRule['parsing_conf']): PagePlan {
  const { custom_prompt, ...named } = Object.fromEntries(
    Object.entries(conf).filter(
      ([name, value]) => isReadingMember(name) && value !== null && value !== undefined,
    ),
  ) as PageRule['parsing_conf'];
  const own: ParseParameters = { ...named, ...(custom_prompt && { user_prompt: custom_prompt }) };
  const rest = { ...parameters, auto_mode: null, auto_mode_configuration_json: null, preset: null };
  const isChosen = resolveReadingPlan(own).chosenBy !== undefined;
  const merged = { ...(isChosen ? omitMode(rest) : rest), ...own };
  const plan = resolveReadingPlan(isChosen ? merged : { ...merged, auto_mode: true });
  return {
    readingPlan: { ...plan, isTriggered: false },
    parameters: merged,
    parse: resolveParsePlan(merged),
  };
}

function omitMode(parameters: ParseParameters): ParseParameters {
  const modes = new Set<string>(MODE_PARAMETERS);
  return Object.fromEntries(Object.entries(parameters).filter(([name]) => !modes.has(name)));
}

/**
 * Decision on how a page is read, with the reason. If `usesModel` is false, only the parser reads the page.
 */
export interface PageChoice {
  rule?: number | undefined;
  usesModel: boolean;
  reason: string;
}

export function choosePagePlan(
  page: StoredPage,
  fileName: string,
  { base, rules, rulePlans }: PagePlans,
): PageChoice {
  const { readingPlan: plan, parameters } = base;
  const applied = findRule(page, fileName, rules);
  if (applied) {
    const { at: rule, reason } = applied;
    return { rule, usesModel: needsModel(rulePlans[rule]!.readingPlan), reason };
  }
  if (plan.isTriggered) {
    const trigger = findTrigger(page, parameters);
    return { usesModel: trigger !== undefined, reason: trigger ?? 'auto_mode: no trigger applies.' };
  }
  if (!needsModel(plan))
    return { usesModel: false, reason: 'auto_mode_configuration_json: no rule applies.' };
  if (parameters.enable_cost_optimizer && isPlain(page)) {
    const reason = 'enable_cost_optimizer: the page is plain text in one column, which needs no model.';
    return { usesModel: false, reason };
  }
  return { usesModel: true, reason: `${plan.chosenBy} asks for it.` };
}

/**
 * Returns whether a language model could not improve the page. Such a page has a text layer in one column,
 * and no tables, pictures, code or unknown characters.
 */
function isPlain(page: StoredPage): boolean {
  const { text, needsOcr, ocr, error } = page;
  if (text.trim() === '' || needsOcr || ocr || error !== undefined) return false;
  if (listRelevantFigures(page).length > 0 || UNKNOWN_CHARACTER.test(text)) return false;
  if ((['table', 'figure', 'code'] as const).some((type) => filterBlocks(page, type).length > 0))
    return false;
  return !hasColumns(page);
}

/**
 * Returns the reason why `auto_mode` has a language model read the page. Returns `undefined` if the parser's
 * result suffices.
 */
export function findTrigger(page: StoredPage, parameters: ParseParameters): string | undefined {
  const { auto_mode_trigger_on_table_in_page, auto_mode_trigger_on_image_in_page } = parameters;
  const { auto_mode_trigger_on_text_in_page, auto_mode_trigger_on_regexp_in_page } = parameters;
  if (auto_mode_trigger_on_table_in_page && page.blocks.some(({ type }) => type === 'table'))
    return 'auto_mode_trigger_on_table_in_page: the page has a table.';
  if (auto_mode_trigger_on_image_in_page && hasPicture(page))
    return 'auto_mode_trigger_on_image_in_page: the page has a picture.';
  if (auto_mode_trigger_on_text_in_page && hasText(page, auto_mode_trigger_on_text_in_page))
    return 'auto_mode_trigger_on_text_in_page: the page has the text.';
  if (auto_mode_trigger_on_regexp_in_page) {
    const found = matchTriggerPattern(page.text, auto_mode_trigger_on_regexp_in_page);
    if (found) return `auto_mode_trigger_on_regexp_in_page: ${found}`;
  }
  return findUnreadReason(page);
}

function matchTriggerPattern(text: string, pattern: string): string | undefined {
  try {
    return compilePattern(pattern).test(text) ? 'the page matches.' : undefined;
  } catch (error) {
    if (!(error instanceof PatternError)) throw error;
    return 'the page is too long to be searched for the pattern.';
  }
}

function findUnreadReason({ needsOcr, ocr }: StoredPage): string | undefined {
  if (needsOcr) return 'auto_mode: the parser could not read the page.';
  const { confidence } = ocr ?? {};
  if (confidence === undefined || confidence >= MIN_OCR_CONFIDENCE) return undefined;
  return `auto_mode: the OCR confidence of the page is only ${confidence.toFixed(2)}.`;
}
