import type { ParseParameters } from '#src/parse/parameters/parameters.ts';

const AGENT = { parse_mode: 'parse_page_with_agent' } as const;

/** Parse parameters of each named preset. A test compares the presets with their documentation. */
export const PRESETS = {
  invoice: {
    ...AGENT,
    outlined_table_extraction: true,
    high_res_ocr: true,
    content_guideline_instruction:
      'The page is of an invoice or a receipt. Keep each line item, amount, currency, date and number as printed.',
    complemental_formatting_instruction:
      'Write line items as one table with a row an item, and totals in rows of their own.',
  },
  scientific: {
    ...AGENT,
    hide_headers: true,
    hide_footers: true,
    complemental_formatting_instruction:
      'Write formulas as LaTeX between $ signs, displayed ones between $$. Keep the numbers of references and captions.',
  },
  technicalDocumentation: {
    ...AGENT,
    outlined_table_extraction: true,
    output_tables_as_HTML: true,
    high_res_ocr: true,
    complemental_formatting_instruction:
      'Write schematics as XML in a fenced block: an element a part, and an element a connection.',
  },
  forms: {
    ...AGENT,
    outlined_table_extraction: true,
    high_res_ocr: true,
    content_guideline_instruction:
      'Leave a field that is not filled in empty. Say of each box whether it is ticked.',
    complemental_formatting_instruction:
      'Write the fields of a form as a table of two columns, the label and what was filled in.',
  },
} as const satisfies Record<string, ParseParameters>;

/** Finds a preset by name, ignoring a version suffix. Returns `undefined` if the preset does not exist. */
function findPreset(name: string | null | undefined): ParseParameters | undefined {
  const bare = name?.replace(/-(?:v-1|latest)$/, '');
  return bare && Object.hasOwn(PRESETS, bare) ? PRESETS[bare as keyof typeof PRESETS] : undefined;
}

export const isPreset = (name: string): boolean => findPreset(name) !== undefined;

/** Parse parameters that choose a reading mode. If one of them is set, the mode of the preset is ignored. */
export const MODE_PARAMETERS = [
  'parse_mode',
  'tier',
  'fast_mode',
  'premium_mode',
  'use_vendor_multimodal_model',
  'premium_llm_mode',
  'continuous_mode',
] as const satisfies (keyof ParseParameters)[];

/**
 * Adds the parse parameters of the chosen preset. Parameters that the caller set explicitly take precedence.
 */
export function applyPreset(parameters: ParseParameters): ParseParameters {
  const set = findPreset(parameters.preset);
  if (!set) return parameters;
  const given = Object.entries(parameters).filter(([, value]) => value !== null && value !== undefined);
  const { parse_mode, ...rest } = set;
  const isChosen = MODE_PARAMETERS.some((name) => parameters[name]);
  return { ...(!isChosen && { parse_mode }), ...rest, ...Object.fromEntries(given) };
}
