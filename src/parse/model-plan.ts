import type { ParameterName, ParseParameters } from './parameters/parameters.ts';

/** How charts are read: with their page, separately, or separately with a correction. */
export type ChartReading = 'with the page' | 'alone' | 'alone and repaired';

/** The parameters that ask for charts. If several are set, the first one decides. */
const CHART_PARAMETERS = [
  ['specialized_chart_parsing_agentic', 'alone and repaired'],
  ['specialized_chart_parsing_plus', 'alone'],
  ['specialized_chart_parsing_efficient', 'with the page'],
  ['extract_charts', 'with the page'],
] as const satisfies [ParameterName, ChartReading][];

/** What a language model is asked to do with a page. */
export interface ModelPlan {
  /** Whether the model receives the layout that the parser found. */
  layoutAware: boolean;
  pictures: PicturesPlan;
  prompts: PromptsPlan;
}

/** What a model is asked to do with pictures. */
export interface PicturesPlan {
  charts: ChartReading | undefined;
  /** Whether each picture is described. */
  descriptions: boolean;
}

/** Instructions of the caller. Empty texts are absent. */
export interface PromptsPlan {
  /** Replaces the first sentence of the system prompt. */
  system: string | undefined;
  systemAppend: string | undefined;
  /** Replaces the task. */
  user: string | undefined;
  /** Replaces the rules for the form of the Markdown. */
  form: string | undefined;
  /** Added to the rules for the form. */
  formAddition: string | undefined;
  /** Added to the rules for the content. */
  content: readonly string[];
}

/** Resolves what a language model is asked of a page. */
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

/** Returns the parameter that decides how charts are read, and those that are set beside it. */
export function findOverruledCharts(parameters: ParseParameters): {
  names: string[];
  by: string | undefined;
} {
  const [first, ...others] = CHART_PARAMETERS.filter(([name]) => parameters[name]).map(([name]) => name);
  return { names: others, by: first };
}
