import type { Warning } from '#src/lib/schema/effect.ts';
import { findOverriddenCharts } from '#src/parse/model-plan.ts';
import { isReadingMember, type PageRule } from '#src/parse/parameters/page-rules.ts';
import type { ParseParameters } from '#src/parse/parameters/parameters.ts';
import { versionNames } from '#src/parse/versions.ts';
import { MODEL_PARAMETERS, VISION_PARAMETERS } from './layout-parameters.ts';
import { findUnusedOwnModelFields } from './own-model.ts';
import { listPagePlans, planPages } from './page-plan.ts';
import { isTier, needsModel, type ReadingPlan, resolveReadingPlan } from './plan.ts';
import { isPreset, PRESETS } from './presets.ts';
import { findBlockType } from './rules.ts';

export interface Installation {
  hasModel: boolean;
  names: readonly string[];
}

const NO_VISION = 'The chosen mode sends no pictures of pages to a model.';

type Given = Partial<Record<keyof ParseParameters, unknown>>;

const RESULT_PARAMETERS = ['preset', 'version', 'confidence_score_effort'] as const;

/**
 * Returns whether the effect of the parse parameters depends on the installation's language models or on
 * other parameters.
 */
export const dependsOnReading = (given: Given): boolean =>
  isSet(given.tier) ||
  resolveReadingPlan(given as ParseParameters).chosenBy !== undefined ||
  listModelParameters(given).length > 0 ||
  RESULT_PARAMETERS.some((name) => isSet(given[name]));

/** Returns a warning, with the reason, for each parse parameter that has no effect in this installation. */
export function findReadingWarnings(given: Given, { hasModel, names }: Installation): Warning[] {
  const parameters = given as ParseParameters;
  const plan = resolveReadingPlan(parameters);
  const plans = planPages(parameters);
  const warnings = plan.overruled.map((field) => ({
    field,
    reason: `${plan.chosenBy} chooses another mode.`,
  }));
  const warn = (field: string, reason: string) => warnings.push({ field, reason });
  for (const [field, reason] of Object.entries(findUnknownNames(parameters))) warn(field, reason);
  if (!listPagePlans(plans).some((plan) => needsModel(plan.readingPlan))) {
    for (const name of listModelParameters(given))
      warn(
        name,
        'No mode that uses a language model is chosen (parse_mode): the parser alone reads the pages.',
      );
  } else if (!hasModel) {
    const reason = 'No language model is configured for parsing: the parser alone reads the pages.';
    const chosenBy = needsModel(plan) && plan.chosenBy ? [plan.chosenBy] : [];
    const switches = new Set([...chosenBy, ...(plan.isTriggered ? ['auto_mode'] : [])]);
    for (const name of [...switches, ...listModelParameters(given)]) warn(name, reason);
  } else {
    const found = {
      ...findUnusedParameters(parameters, plan, names),
      ...findUnusedOwnModelFields(listPagePlans(plans)),
    };
    for (const [field, reason] of Object.entries(found)) warn(field, reason);
    for (const { at, reason } of findRuleWarnings(plans.rules))
      warn(`auto_mode_configuration_json.${at}`, reason);
  }
  return warnings;
}

const EFFORTS = ['low', 'medium', 'high'];

/**
 * Returns the parse parameters with unknown values, such as a preset that does not exist. Keys are parameter
 * names, and values are the reasons.
 */
function findUnknownNames({ tier, preset, version, confidence_score_effort: effort }: ParseParameters) {
  const found: Record<string, string> = {};
  const unknown = (what: string, known: readonly string[]) =>
    `There is no such ${what}. Valid values are: ${known.join(', ')}.`;
  if (tier && !isTier(tier)) found.tier = 'There is no such tier.';
  if (preset && !isPreset(preset)) found.preset = unknown('preset', Object.keys(PRESETS));
  if (version && !versionNames().includes(version)) {
    found.version = `${unknown('version', versionNames())} The latest version is used.`;
  }
  if (effort && !EFFORTS.includes(effort)) found.confidence_score_effort = unknown('effort', EFFORTS);
  return found;
}

/**
 * Returns the parse parameters that have no effect because of another parameter. Keys are parameter names,
 * and values are the reasons.
 */
function findUnusedParameters(
  parameters: ParseParameters,
  plan: ReadingPlan,
  names: readonly string[],
): Record<string, string> {
  const found: Record<string, string> = {};
  const { model, vendor_multimodal_model_name: vendorName, parsing_instruction: instruction } = parameters;
  if (!plan.isTriggered) {
    for (const name of listModelParameters(parameters)) {
      if (name.startsWith('auto_mode_trigger_')) found[name] = 'This field has no effect without auto_mode.';
    }
  }
  const isOwn =
    parameters.hostedllm_endpoint || parameters.premium_llm_api_key || parameters.vendor_multimodal_api_key;
  const charts = findOverriddenCharts(parameters);
  for (const name of charts.names) found[name] = `${charts.by} takes precedence.`;
  if (!plan.usesVision)
    for (const name of VISION_PARAMETERS) if (isSet(parameters[name])) found[name] = NO_VISION;
  const unknown = `No configured language model has this name. The configured models are: ${names.join(', ')}.`;
  if (model && !isOwn && !names.includes(model)) found.model = unknown;
  if (vendorName) {
    const field = 'vendor_multimodal_model_name';
    if (!plan.usesVision) found[field] = NO_VISION;
    else if (model) found[field] = 'model takes precedence.';
    else if (!isOwn && !names.includes(vendorName)) found[field] = unknown;
  }
  if (parameters.enable_cost_optimizer && plan.isTriggered)
    found.enable_cost_optimizer = 'auto_mode chooses the pages that a model reads.';
  if (parameters.enable_cost_optimizer && !needsModel(plan))
    found.enable_cost_optimizer = 'The parser alone reads the pages that no rule applies to.';
  if (parameters.is_formatting_instruction) {
    if (!instruction)
      found.is_formatting_instruction = 'This field has no effect without parsing_instruction.';
    else if (parameters.formatting_instruction)
      found.parsing_instruction = 'formatting_instruction takes precedence.';
  }
  return found;
}

const listModelParameters = (given: Given) => MODEL_PARAMETERS.filter((name) => isSet(given[name]));

const isSet = (value: unknown) => value !== null && value !== undefined && value !== false && value !== '';

/**
 * Returns the fields of page rules that have no effect. Each result has the path of the field and the reason.
 */
export function findRuleWarnings(rules: readonly PageRule[]): { at: string; reason: string }[] {
  return rules.flatMap((rule, place) => {
    const { parsing_conf: conf, layout_element_in_page: element } = rule;
    const found = Object.entries(conf).flatMap(([name, value]) => {
      if (isReadingMember(name) || value === null || value === false) return [];
      return [
        [
          `parsing_conf.${name}`,
          'The parser lays out all pages with the same parameters. A rule only changes how a model reads a page.',
        ],
      ];
    });
    const { version } = conf;
    if (version && !versionNames().includes(version)) {
      found.push([
        'parsing_conf.version',
        `There is no such version. Valid values are: ${versionNames().join(', ')}.`,
      ]);
    }
    for (const name of ['page_contains_at_least_n_charts', 'page_contains_at_most_n_charts'] as const) {
      if (rule[name] != null)
        found.push([
          name,
          'This condition never holds, because charts are not distinguished from other pictures.',
        ]);
    }
    if (element && !findBlockType(element)) {
      found.push([
        'layout_element_in_page',
        'This condition never holds, because pages have no elements of this type.',
      ]);
    }
    const least = 'layout_element_in_page_confidence_threshold';
    if (rule[least] != null)
      found.push([least, 'This field has no effect, because layout elements have no confidence.']);
    return found.map(([name, reason]) => ({ at: `${place}.${name}`, reason: reason! }));
  });
}
