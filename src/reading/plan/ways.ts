import type { StoredPage } from '#src/documents/page-store.ts';
import { compilePattern, PatternError } from '#src/lib/text/pattern.ts';
import { isOfReading, type PageRule, pageRulesOf } from '#src/parse/parameters/page-rules.ts';
import type { ParseParameters } from '#src/parse/parameters/parameters.ts';
import { type ParsePlan, resolveParsePlan } from '#src/parse/plan.ts';
import { blocksOf, hasColumns, picturesOf } from './page-facts.ts';
import { needsModel, type Plan, planOf } from './plan.ts';
import { CHOOSING_MODE, withPreset } from './presets.ts';
import { ruleFor } from './rules.ts';

/** OCR confidence below which a page may contain errors. */
const SURE_OF_PAGE = 0.8;

const hasPicture = ({ figures, blocks }: StoredPage) =>
  figures.some(({ isLikelyNoise }) => !isLikelyNoise) || blocks.some(({ type }) => type === 'figure');

const hasText = ({ text }: StoredPage, wanted: string) => text.toLowerCase().includes(wanted.toLowerCase());

/** Characters of fonts without Unicode values. */
const UNKNOWN_LETTER = /[\uFFFD\uE000-\uF8FF]/;

/** One way of reading pages. */
export interface Way {
  plan: Plan;
  parameters: ParseParameters;
  /** Parse plan of this way. */
  parse: ParsePlan;
}

/** Ways of reading a document's pages: without a rule, and for each rule. */
export interface Ways {
  base: Way;
  rules: readonly PageRule[];
  /** One way per rule, at the rule's index. */
  ofRules: readonly Way[];
}

export function waysOf(given: ParseParameters): Ways {
  const parameters = withPreset(given);
  const rules = pageRulesOf(parameters.auto_mode_configuration_json);
  const base = { plan: planOf(given), parameters, parse: resolveParsePlan(parameters) };
  return { base, rules, ofRules: rules.map(({ parsing_conf }) => wayOfRule(parameters, parsing_conf)) };
}

/** Returns whether some pages may be left to the parser while a model reads others. */
export const leavesPages = ({ base, rules }: Ways): boolean =>
  base.plan.isTriggered || rules.length > 0 || base.parameters.enable_cost_optimizer === true;

export const allWays = ({ base, ofRules }: Ways): Way[] => [base, ...ofRules];

/** A rule without mode uses that of the parse, or that of `auto_mode` if the parse uses no model. */
function wayOfRule(parameters: ParseParameters, conf: PageRule['parsing_conf']): Way {
  const { custom_prompt, ...named } = Object.fromEntries(
    Object.entries(conf).filter(
      ([name, value]) => isOfReading(name) && value !== null && value !== undefined,
    ),
  ) as PageRule['parsing_conf'];
  const own: ParseParameters = { ...named, ...(custom_prompt && { user_prompt: custom_prompt }) };
  const rest = { ...parameters, auto_mode: null, auto_mode_configuration_json: null, preset: null };
  const isChosen = planOf(own).chosenBy !== undefined;
  const merged = { ...(isChosen ? withoutMode(rest) : rest), ...own };
  const plan = planOf(isChosen ? merged : { ...merged, auto_mode: true });
  return { plan: { ...plan, isTriggered: false }, parameters: merged, parse: resolveParsePlan(merged) };
}

function withoutMode(parameters: ParseParameters): ParseParameters {
  const modes = new Set<string>(CHOOSING_MODE);
  return Object.fromEntries(Object.entries(parameters).filter(([name]) => !modes.has(name)));
}

/** The chosen way for a page and the reason. Without a way only the parser reads it. */
export interface Choice {
  /** Index of the rule; undefined for pages without a rule. */
  rule?: number | undefined;
  isOfModel: boolean;
  reason: string;
}

/** Chooses how to read a parsed page of a document. */
export function choiceFor(page: StoredPage, fileName: string, { base, rules, ofRules }: Ways): Choice {
  const { plan, parameters } = base;
  const applied = ruleFor(page, fileName, rules);
  if (applied) {
    const { at: rule, reason } = applied;
    return { rule, isOfModel: needsModel(ofRules[rule]!.plan), reason };
  }
  if (plan.isTriggered) {
    const trigger = triggerOf(page, parameters);
    return { isOfModel: trigger !== undefined, reason: trigger ?? 'auto_mode: no trigger applies.' };
  }
  if (!needsModel(plan))
    return { isOfModel: false, reason: 'auto_mode_configuration_json: no rule applies.' };
  if (parameters.enable_cost_optimizer && isPlain(page)) {
    const reason = 'enable_cost_optimizer: plain text in one column, to which a model can add nothing.';
    return { isOfModel: false, reason };
  }
  return { isOfModel: true, reason: `${plan.chosenBy} asks for it.` };
}

/**
 * Returns whether a model could add nothing: a text layer in one column, without tables, pictures, code or
 * unknown characters.
 */
function isPlain(page: StoredPage): boolean {
  const { text, needsOcr, ocr, error } = page;
  if (text.trim() === '' || needsOcr || ocr || error !== undefined) return false;
  if (picturesOf(page).length > 0 || UNKNOWN_LETTER.test(text)) return false;
  if ((['table', 'figure', 'code'] as const).some((type) => blocksOf(page, type).length > 0)) return false;
  return !hasColumns(page);
}

/**
 * Returns the reason why `auto_mode` lets a model read the page; undefined if the parser's layout suffices.
 */
export function triggerOf(page: StoredPage, parameters: ParseParameters): string | undefined {
  const { auto_mode_trigger_on_table_in_page, auto_mode_trigger_on_image_in_page } = parameters;
  const { auto_mode_trigger_on_text_in_page, auto_mode_trigger_on_regexp_in_page } = parameters;
  if (auto_mode_trigger_on_table_in_page && page.blocks.some(({ type }) => type === 'table'))
    return 'auto_mode_trigger_on_table_in_page: the page has a table.';
  if (auto_mode_trigger_on_image_in_page && hasPicture(page))
    return 'auto_mode_trigger_on_image_in_page: the page has a picture.';
  if (auto_mode_trigger_on_text_in_page && hasText(page, auto_mode_trigger_on_text_in_page))
    return 'auto_mode_trigger_on_text_in_page: the page has the text.';
  if (auto_mode_trigger_on_regexp_in_page) {
    const found = search(page.text, auto_mode_trigger_on_regexp_in_page);
    if (found) return `auto_mode_trigger_on_regexp_in_page: ${found}`;
  }
  return unread(page);
}

function search(text: string, pattern: string): string | undefined {
  try {
    return compilePattern(pattern).test(text) ? 'the page matches.' : undefined;
  } catch (error) {
    if (!(error instanceof PatternError)) throw error;
    return 'the page is too long for the pattern to be looked for.';
  }
}

function unread({ needsOcr, ocr }: StoredPage): string | undefined {
  if (needsOcr) return 'auto_mode: nothing could read the page.';
  const { confidence } = ocr ?? {};
  if (confidence === undefined || confidence >= SURE_OF_PAGE) return undefined;
  return `auto_mode: the OCR engine is sure of the page by ${confidence.toFixed(2)} only.`;
}
