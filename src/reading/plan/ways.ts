import type { StoredPage } from '#src/documents/page-store.ts';
import { compilePattern, PatternError } from '#src/lib/text/pattern.ts';
import { isOfReading, type PageRule, pageRulesOf } from '#src/parse/parameters/page-rules.ts';
import type { ParseParameters } from '#src/parse/parameters/parameters.ts';
import { type ParsePlan, resolveParsePlan } from '#src/parse/plan.ts';
import { blocksOf, hasColumns, picturesOf } from './page-facts.ts';
import { needsModel, type Plan, planOf } from './plan.ts';
import { CHOOSING_MODE, withPreset } from './presets.ts';
import { ruleFor } from './rules.ts';

/** An OCR engine that is less sure of a page than this may have got it wrong. */
const SURE_OF_PAGE = 0.8;

const hasPicture = ({ figures, blocks }: StoredPage) =>
  figures.some(({ isLikelyNoise }) => !isLikelyNoise) || blocks.some(({ type }) => type === 'figure');

const hasText = ({ text }: StoredPage, wanted: string) => text.toLowerCase().includes(wanted.toLowerCase());

/** Letters of fonts that do not say what they stand for. */
const UNKNOWN_LETTER = /[\uFFFD\uE000-\uF8FF]/;

/** One way in which pages of a document are read. */
export interface Way {
  plan: Plan;
  parameters: ParseParameters;
  /** What the parameters ask for, in the form in which pages are read. */
  parse: ParsePlan;
}

/** How a document's pages may be read: those that no rule applies to, and those of each rule. */
export interface Ways {
  base: Way;
  rules: readonly PageRule[];
  /** One a rule, in its place. */
  ofRules: readonly Way[];
}

export function waysOf(given: ParseParameters): Ways {
  const parameters = withPreset(given);
  const rules = pageRulesOf(parameters.auto_mode_configuration_json);
  const base = { plan: planOf(given), parameters, parse: resolveParsePlan(parameters) };
  return { base, rules, ofRules: rules.map(({ parsing_conf }) => wayOfRule(parameters, parsing_conf)) };
}

/** Whether a page may be left to the parser although a model reads others. */
export const leavesPages = ({ base, rules }: Ways): boolean =>
  base.plan.isTriggered || rules.length > 0 || base.parameters.enable_cost_optimizer === true;

export const allWays = ({ base, ofRules }: Ways): Way[] => [base, ...ofRules];

/** Where a rule names no mode, it is the parse's, and that of `auto_mode` where that calls no model. */
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

/** What a page is read by, and why; without a way the parser alone reads it. */
export interface Choice {
  /** The place of its rule; undefined: the way of pages without one. */
  rule?: number | undefined;
  isOfModel: boolean;
  reason: string;
}

/** How a page is read that the parser has laid out, in a document of that name. */
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
 * Whether a model can add nothing to what the parser read: text of the text layer in one column, without tables,
 * pictures, code and letters that nobody knows.
 */
function isPlain(page: StoredPage): boolean {
  const { text, needsOcr, ocr, error } = page;
  if (text.trim() === '' || needsOcr || ocr || error !== undefined) return false;
  if (picturesOf(page).length > 0 || UNKNOWN_LETTER.test(text)) return false;
  if ((['table', 'figure', 'code'] as const).some((type) => blocksOf(page, type).length > 0)) return false;
  return !hasColumns(page);
}

/** Why `auto_mode` has a model read the page that the parser laid out; undefined: the parser's layout is enough. */
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
