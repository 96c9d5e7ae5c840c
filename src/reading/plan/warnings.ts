import type { Warning } from '#src/lib/schema/effect.ts';
import { findOverruledCharts } from '#src/parse/model-plan.ts';
import { isOfReading, type PageRule } from '#src/parse/parameters/page-rules.ts';
import type { ParseParameters } from '#src/parse/parameters/parameters.ts';
import { versionNames } from '#src/parse/versions.ts';
import { FOR_EYES, FOR_MODELS } from './layout-parameters.ts';
import { idleOwnFields } from './own-model.ts';
import { isTier, needsModel, type Plan, planOf } from './plan.ts';
import { isPreset, PRESETS } from './presets.ts';
import { elementNamed } from './rules.ts';
import { allWays, waysOf } from './ways.ts';

export interface Installation {
  /** Whether the project has a model that reads pages. */
  hasModel: boolean;
  /** Names of its language models. */
  names: readonly string[];
}

const BLIND = 'The chosen mode looks at no pictures.';

type Given = Partial<Record<keyof ParseParameters, unknown>>;

const OF_THE_RESULT = ['preset', 'version', 'confidence_score_effort'] as const;

/** Returns whether the effect of these parameters depends on the installation or on each other. */
export const dependsOnReading = (given: Given): boolean =>
  isTold(given.tier) ||
  planOf(given as ParseParameters).chosenBy !== undefined ||
  namesOf(given).length > 0 ||
  OF_THE_RESULT.some((name) => isTold(given[name]));

/** Returns the parameters without effect in this installation, with the reason. */
export function readingWarnings(given: Given, { hasModel, names }: Installation): Warning[] {
  const parameters = given as ParseParameters;
  const plan = planOf(parameters);
  const ways = waysOf(parameters);
  const warnings = plan.overruled.map((field) => ({
    field,
    reason: `${plan.chosenBy} chooses another mode.`,
  }));
  const warn = (field: string, reason: string) => warnings.push({ field, reason });
  for (const [field, reason] of Object.entries(unknownNames(parameters))) warn(field, reason);
  if (!allWays(ways).some((way) => needsModel(way.plan))) {
    for (const name of namesOf(given))
      warn(name, 'No mode that calls a model is chosen (parse_mode): the parser alone reads the pages.');
  } else if (!hasModel) {
    const reason = 'No language model is configured for parsing: the parser alone reads the pages.';
    const chosenBy = needsModel(plan) && plan.chosenBy ? [plan.chosenBy] : [];
    const switches = new Set([...chosenBy, ...(plan.isTriggered ? ['auto_mode'] : [])]);
    for (const name of [...switches, ...namesOf(given)]) warn(name, reason);
  } else {
    const found = { ...unused(parameters, plan, names), ...idleOwnFields(allWays(ways)) };
    for (const [field, reason] of Object.entries(found)) warn(field, reason);
    for (const { at, reason } of ruleWarnings(ways.rules)) warn(`auto_mode_configuration_json.${at}`, reason);
  }
  return warnings;
}

const EFFORTS = ['low', 'medium', 'high'];

/** Returns unknown names in the parameters. */
function unknownNames({ tier, preset, version, confidence_score_effort: effort }: ParseParameters) {
  const found: Record<string, string> = {};
  const unknown = (what: string, known: readonly string[]) =>
    `There is no such ${what}; they are: ${known.join(', ')}.`;
  if (tier && !isTier(tier)) found.tier = 'There is no such tier.';
  if (preset && !isPreset(preset)) found.preset = unknown('preset', Object.keys(PRESETS));
  if (version && !versionNames().includes(version)) {
    found.version = `${unknown('version', versionNames())} The latest reads.`;
  }
  if (effort && !EFFORTS.includes(effort)) found.confidence_score_effort = unknown('effort', EFFORTS);
  return found;
}

/** Returns parameters without effect because of another parameter. */
function unused(parameters: ParseParameters, plan: Plan, names: readonly string[]): Record<string, string> {
  const found: Record<string, string> = {};
  const { model, vendor_multimodal_model_name: vendorName, parsing_instruction: instruction } = parameters;
  if (!plan.isTriggered) {
    for (const name of namesOf(parameters)) {
      if (name.startsWith('auto_mode_trigger_'))
        found[name] = 'auto_mode is not set: every page is read alike.';
    }
  }
  const isOwn =
    parameters.hostedllm_endpoint || parameters.premium_llm_api_key || parameters.vendor_multimodal_api_key;
  const charts = findOverruledCharts(parameters);
  for (const name of charts.names) found[name] = `${charts.by} says how charts are read.`;
  if (!plan.sees) for (const name of FOR_EYES) if (isTold(parameters[name])) found[name] = BLIND;
  const unknown = `No language model here has this name; they are: ${names.join(', ')}.`;
  if (model && !isOwn && !names.includes(model)) found.model = unknown;
  if (vendorName) {
    const field = 'vendor_multimodal_model_name';
    if (!plan.sees) found[field] = BLIND;
    else if (model) found[field] = 'model names the model.';
    else if (!isOwn && !names.includes(vendorName)) found[field] = unknown;
  }
  if (parameters.enable_cost_optimizer && plan.isTriggered)
    found.enable_cost_optimizer = 'auto_mode chooses the pages that a model reads.';
  if (parameters.enable_cost_optimizer && !needsModel(plan))
    found.enable_cost_optimizer = 'Pages that no rule applies to are read by the parser.';
  if (parameters.is_formatting_instruction) {
    if (!instruction) found.is_formatting_instruction = 'There is no parsing_instruction.';
    else if (parameters.formatting_instruction)
      found.parsing_instruction = 'formatting_instruction gives the form.';
  }
  return found;
}

const namesOf = (given: Given) => FOR_MODELS.filter((name) => isTold(given[name]));

const isTold = (value: unknown) => value !== null && value !== undefined && value !== false && value !== '';

/** Returns members of rules without effect, by their path. */
export function ruleWarnings(rules: readonly PageRule[]): { at: string; reason: string }[] {
  return rules.flatMap((rule, place) => {
    const { parsing_conf: conf, layout_element_in_page: element } = rule;
    const found = Object.entries(conf).flatMap(([name, value]) => {
      if (isOfReading(name) || value === null || value === false) return [];
      return [
        [`parsing_conf.${name}`, 'All pages are laid out alike; a rule decides how a model reads them.'],
      ];
    });
    const { version } = conf;
    if (version && !versionNames().includes(version)) {
      found.push([
        'parsing_conf.version',
        `There is no such version; they are: ${versionNames().join(', ')}.`,
      ]);
    }
    for (const name of ['page_contains_at_least_n_charts', 'page_contains_at_most_n_charts'] as const) {
      if (rule[name] != null) found.push([name, 'It never holds: charts are not told from other pictures.']);
    }
    if (element && !elementNamed(element)) {
      found.push(['layout_element_in_page', 'It never holds: pages have no elements of this kind.']);
    }
    const least = 'layout_element_in_page_confidence_threshold';
    if (rule[least] != null) found.push([least, 'Elements are found or not; nobody says how surely.']);
    return found.map(([name, reason]) => ({ at: `${place}.${name}`, reason: reason! }));
  });
}
