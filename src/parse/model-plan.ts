import type { ParameterName, ParseParameters } from './parameters/parameters.ts';

/** How charts are read: together with their page, separately, or separately with a correction step. */
export type ChartReading = 'with the page' | 'alone' | 'alone and repaired';

/** Parameters that request charts. If several are set, the first one takes effect. */
const CHART_PARAMETERS = [
  ['specialized_chart_parsing_agentic', 'alone and repaired'],
  ['specialized_chart_parsing_plus', 'alone'],
  ['specialized_chart_parsing_efficient', 'with the page'],
  ['extract_charts', 'with the page'],
] as const satisfies [ParameterName, ChartReading][];

/** Plan for reading a page with a language model. */
export interface ModelPlan {
  /** True if the model receives the layout that the parser found. */
  layoutAware: boolean;
  pictures: PicturesPlan;
  prompts: PromptsPlan;
}

/** Plan for the pictures of a page: which ones a language model reads, and how. */
export interface PicturesPlan {
  charts: ChartReading | undefined;
  /** True if the model describes each picture. */
  descriptions: boolean;
}

/** Instructions of the caller for the model. Empty texts count as absent. */
export interface PromptsPlan {
  /** Replaces the first sentence of the system prompt. */
  system: string | undefined;
  systemAppend: string | undefined;
  /** Replaces the task in the user prompt. */
  user: string | undefined;
  /** Replaces the rules for the form of the Markdown. */
  form: string | undefined;
  /** Added to the rules for the form of the Markdown. */
  formAddition: string | undefined;
  /** Added to the rules for the content. */
  content: readonly string[];
}

/** Resolves the plan for a language model from the parse parameters. */
export function resolveModelPlan(parameters: ParseParameters): ModelPlan {
  return {
    layoutAware: parameters.layout_aware === true,
    pictures: {
      charts: CHART_PARAMETERS.find(([name]) => parameters[name])?.[1],
      descriptions: parameters.specialized_image_parsing === true,
    },
    prompts: resolvePrompts(parameters),
  };
}

function resolvePrompts(parameters: ParseParameters): PromptsPlan {
  const { parsing_instruction: instruction, content_guideline_instruction: guideline } = parameters;
  const isForm = parameters.is_formatting_instruction === true;
  const content = [isForm ? undefined : instruction, guideline];
  return {
    system: parameters.system_prompt || undefined,
    systemAppend: parameters.system_prompt_append || undefined,
    user: parameters.user_prompt || undefined,
    form: parameters.formatting_instruction || (isForm && instruction) || undefined,
    formAddition: parameters.complemental_formatting_instruction || undefined,
    content: content.filter((each): each is string => Boolean(each)),
  };
}

/** Returns the chart parameter that takes effect and the other chart parameters that are set. */
export function findOverriddenCharts(parameters: ParseParameters): {
  names: string[];
  by: string | undefined;
} {
  const [first, ...others] = CHART_PARAMETERS.filter(([name]) => parameters[name]).map(([name]) => name);
  return { names: others, by: first };
}
