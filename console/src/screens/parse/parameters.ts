import type { Body } from '../../api/types.ts';

export type Parameters = NonNullable<Body<'POST /api/v2/parse'>['configuration']>;
type Name = keyof Parameters;

/** Form field of a parse parameter. Help texts are short; the reference has all details. */
export interface ParameterField {
  name: Name;
  label: string;
  help?: string;
  kind: 'switch' | 'text' | 'number' | 'choice' | 'long' | 'password';
  /** Values of a choice with their labels. */
  choices?: readonly (readonly [value: string, label: string])[];
}

export interface ParameterGroup {
  title: string;
  fields: readonly ParameterField[];
}

const toggle = (name: Name, label: string, help?: string): ParameterField => ({
  ...{ name, label, kind: 'switch' },
  ...(help && { help }),
});

/** Parse parameters that have a form field, by group. All others are entered as JSON. */
export const GROUPS: readonly ParameterGroup[] = [
  {
    title: 'Pages',
    fields: [
      { name: 'target_pages', label: 'Pages', kind: 'text', help: 'For example 1-3,7' },
      { name: 'max_pages', label: 'Max pages', kind: 'number', help: 'Reads at most this many pages.' },
      { name: 'password', label: 'Password', kind: 'password', help: 'Opens a protected file.' },
    ],
  },
  {
    title: 'Reading and OCR',
    fields: [
      {
        ...{ name: 'tier', label: 'Reader', kind: 'choice' },
        help: 'All but the default need a language model.',
        choices: [
          ['', 'Default'],
          ['fast', 'Fast'],
          ['cost_effective', 'Cost-effective'],
          ['agentic', 'Agentic'],
          ['agentic_plus', 'Agentic plus'],
        ],
      },
      {
        ...{ name: 'preset', label: 'Kind of document', kind: 'choice' },
        help: 'Sets several parameters at once.',
        choices: [
          ['', 'Any'],
          ['invoice', 'Invoice'],
          ['scientific', 'Scientific paper'],
          ['technicalDocumentation', 'Technical documentation'],
          ['forms', 'Form'],
        ],
      },
      toggle('disable_ocr', 'Disable OCR', 'Pages without a text layer stay empty.'),
      toggle('high_res_ocr', 'High-resolution OCR', 'Slower. Use it for small print.'),
      {
        ...{ name: 'parsing_instruction', label: 'Instructions', kind: 'long' },
        help: 'Tells a language model what to read, and how.',
      },
    ],
  },
  {
    title: 'Layout and text',
    fields: [
      toggle('hide_headers', 'Leave out page headers'),
      toggle('hide_footers', 'Leave out page footers'),
      toggle('do_not_unroll_columns', 'Read across columns', 'PDF: reads lines straight across the page.'),
      toggle('annotate_links', 'Keep link targets'),
      toggle('remove_hidden_text', 'Leave out hidden text'),
      toggle('skip_diagonal_text', 'Leave out diagonal text', 'PDF: for example a watermark.'),
      toggle(
        'preserve_layout_alignment_across_pages',
        'Align text with spaces',
        'PDF: only in the plain text.',
      ),
      toggle('extract_printed_page_number', 'Use printed page numbers', 'PDF: as labels of the pages.'),
    ],
  },
  {
    title: 'Tables and spreadsheets',
    fields: [
      toggle('output_tables_as_HTML', 'Tables as HTML', 'Instead of Markdown.'),
      toggle('compact_markdown_table', 'Compact tables', 'Markdown tables without padding.'),
      toggle('outlined_table_extraction', 'Ruled boxes are tables', 'PDF: also boxes with a single row.'),
      toggle('aggressive_table_extraction', 'Find more tables', 'PDF: may mistake aligned text for a table.'),
      toggle('adaptive_long_table', 'Split long tables', 'Repeats the header row after 40 rows.'),
      toggle('spreadsheet_include_hidden_sheets', 'Read hidden sheets'),
      toggle('spreadsheet_force_formula_computation', 'Compute formulas'),
    ],
  },
  {
    title: 'Pictures',
    fields: [
      toggle('disable_image_extraction', 'Leave out pictures'),
      toggle('extract_charts', 'Charts as tables', 'Needs a language model.'),
      toggle('specialized_image_parsing', 'Describe pictures', 'Needs a language model.'),
    ],
  },
];

const FIELD_NAMES: ReadonlySet<string> = new Set(
  GROUPS.flatMap(({ fields }) => fields.map(({ name }) => name)),
);

/**
 * Parameters that are never part of the page's address: secrets, and places to which the service sends documents or
 * results. Somebody who sends a link must not decide where a document goes.
 */
const SECRET_NAMES: ReadonlySet<string> = new Set<Name>([
  ...(['password', 'hostedllm_key', 'premium_llm_api_key', 'vendor_multimodal_api_key'] as const),
  ...(['hostedllm_endpoint', 'webhook_configurations', 'webhook_url', 'http_proxy'] as const),
  ...(['input_url', 'input_bucket_path', 'output_bucket_path_prefix'] as const),
]);

const filterEntries = (parameters: Parameters, isKept: (name: string, value: unknown) => boolean) =>
  Object.fromEntries(Object.entries(parameters).filter(([name, value]) => isKept(name, value))) as Parameters;

/** Removes parameters without a value, and those that are never part of the page's address. */
export const removeUnset = (parameters: Parameters): Parameters =>
  filterEntries(
    parameters,
    (name, value) => value !== null && value !== undefined && value !== '' && !SECRET_NAMES.has(name),
  );

/** Returns the parameters that have no form field. */
export const pickOthers = (parameters: Parameters): Parameters =>
  filterEntries(parameters, (name) => !FIELD_NAMES.has(name));

export const pickFields = (parameters: Parameters): Parameters =>
  filterEntries(parameters, (name) => FIELD_NAMES.has(name));

/** Reads parameters from the page's address. Text that is not a JSON object counts as no parameters. */
export function parseParameters(text: string | null): Parameters {
  try {
    const value: unknown = JSON.parse(text ?? '{}');
    return typeof value === 'object' && value !== null && !Array.isArray(value)
      ? removeUnset(value as Parameters)
      : {};
  } catch {
    return {};
  }
}

/** Splits parameters into secrets and those that may be part of the page's address. */
export const splitSecrets = (parameters: Parameters): { open: Parameters; secret: Parameters } => ({
  open: filterEntries(parameters, (name) => !SECRET_NAMES.has(name)),
  secret: filterEntries(parameters, (name) => SECRET_NAMES.has(name)),
});

const LABELS = new Map<string, string>(
  GROUPS.flatMap(({ fields }) => fields.map(({ name, label }) => [name, label] as const)),
);

/** Describes parameters as short texts, such as "Pages: 1-3" and "Tables as HTML". */
export function describeParameters(parameters: Parameters): string[] {
  return Object.entries(removeUnset(parameters)).map(([name, value]) => {
    const label = LABELS.get(name) ?? name;
    if (value === true) return label;
    if (value === false) return `${label}: off`;
    return `${label}: ${typeof value === 'string' ? value : JSON.stringify(value)}`;
  });
}
