import type { Body } from '../../api/types.ts';
import { t } from '../../i18n/messages.ts';

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
export const getGroups = (): readonly ParameterGroup[] => [
  {
    title: t('Pages'),
    fields: [
      { name: 'target_pages', label: t('Pages'), kind: 'text', help: t('For example 1-3,7') },
      { name: 'max_pages', label: t('Max pages'), kind: 'number', help: t('Reads at most this many pages.') },
      { name: 'password', label: t('Password'), kind: 'password', help: t('Opens a protected file.') },
    ],
  },
  {
    title: t('Reading and OCR'),
    fields: [
      {
        ...{ name: 'tier', label: t('Reader'), kind: 'choice' },
        help: t('All but the default need a language model.'),
        choices: [
          ['', t('Default')],
          ['fast', t('Fast')],
          ['cost_effective', t('Cost-effective')],
          ['agentic', t('Agentic')],
          ['agentic_plus', t('Agentic plus')],
        ],
      },
      {
        ...{ name: 'preset', label: t('Kind of document'), kind: 'choice' },
        help: t('Sets several parameters at once.'),
        choices: [
          ['', t('Any')],
          ['invoice', t('Invoice')],
          ['scientific', t('Scientific paper')],
          ['technicalDocumentation', t('Technical documentation')],
          ['forms', t('Form')],
        ],
      },
      toggle('disable_ocr', t('Disable OCR'), t('Pages without a text layer stay empty.')),
      toggle('high_res_ocr', t('High-resolution OCR'), t('Slower. Use it for small print.')),
      {
        ...{ name: 'parsing_instruction', label: t('Instructions'), kind: 'long' },
        help: t('Tells a language model what to read, and how.'),
      },
    ],
  },
  {
    title: t('Layout and text'),
    fields: [
      toggle('hide_headers', t('Leave out page headers')),
      toggle('hide_footers', t('Leave out page footers')),
      toggle(
        'do_not_unroll_columns',
        t('Read across columns'),
        t('PDF: reads lines straight across the page.'),
      ),
      toggle('annotate_links', t('Keep link targets')),
      toggle('remove_hidden_text', t('Leave out hidden text')),
      toggle('skip_diagonal_text', t('Leave out diagonal text'), t('PDF: for example a watermark.')),
      toggle(
        'preserve_layout_alignment_across_pages',
        t('Align text with spaces'),
        t('PDF: only in the plain text.'),
      ),
      toggle('extract_printed_page_number', t('Use printed page numbers'), t('PDF: as labels of the pages.')),
    ],
  },
  {
    title: t('Tables and spreadsheets'),
    fields: [
      toggle('output_tables_as_HTML', t('Tables as HTML'), t('Instead of Markdown.')),
      toggle('compact_markdown_table', t('Compact tables'), t('Markdown tables without padding.')),
      toggle(
        'outlined_table_extraction',
        t('Ruled boxes are tables'),
        t('PDF: also boxes with a single row.'),
      ),
      toggle(
        'aggressive_table_extraction',
        t('Find more tables'),
        t('PDF: may mistake aligned text for a table.'),
      ),
      toggle('adaptive_long_table', t('Split long tables'), t('Repeats the header row after 40 rows.')),
      toggle('spreadsheet_include_hidden_sheets', t('Read hidden sheets')),
      toggle('spreadsheet_force_formula_computation', t('Compute formulas')),
    ],
  },
  {
    title: t('Pictures'),
    fields: [
      toggle('disable_image_extraction', t('Leave out pictures')),
      toggle('extract_charts', t('Charts as tables'), t('Needs a language model.')),
      toggle('specialized_image_parsing', t('Describe pictures'), t('Needs a language model.')),
    ],
  },
];

const getFieldNames = (): ReadonlySet<string> =>
  new Set(getGroups().flatMap(({ fields }) => fields.map(({ name }) => name)));

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
  filterEntries(parameters, (name) => !getFieldNames().has(name));

export const pickFields = (parameters: Parameters): Parameters =>
  filterEntries(parameters, (name) => getFieldNames().has(name));

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

const getLabels = () =>
  new Map<string, string>(
    getGroups().flatMap(({ fields }) => fields.map(({ name, label }) => [name, label] as const)),
  );

/** Describes parameters as short texts, such as "Pages: 1-3" and "Tables as HTML". */
export function describeParameters(parameters: Parameters): string[] {
  return Object.entries(removeUnset(parameters)).map(([name, value]) => {
    const label = getLabels().get(name) ?? name;
    if (value === true) return label;
    if (value === false) return t('{label}: off', { label });
    return `${label}: ${typeof value === 'string' ? value : JSON.stringify(value)}`;
  });
}
