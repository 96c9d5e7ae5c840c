import type { Answer } from '../../api/types.ts';
import { t } from '../../i18n/messages.ts';
import { appendPointer, findAtPointer } from '../extract/evidence.ts';
import { resolveOptions } from '../extract/missing-fields.ts';

export type Batch = Answer<'GET /api/v2/batches/{batch_id}'>;
export type Item = Answer<'GET /api/v2/batches/{batch_id}/items'>['items'][number];

/** How a value is edited. `json` is for lists, groups and values of several types. */
export type ValueKind = 'text' | 'number' | 'boolean' | 'date' | 'choice' | 'json';

/** Column of the review grid: one value of every file. */
export interface ValueColumn {
  /** JSON pointer to the value in the result. */
  pointer: string;
  label: string;
  kind: ValueKind;
  /** Allowed values if the kind is `choice`. */
  choices?: readonly string[];
  isReadOnly?: boolean;
}

type Node = Record<string, unknown>;

const MAX_DEPTH = 7;

/** Returns the columns for the values of a batch. Batches of parse jobs have no columns. */
export function listColumns({ job_type, configuration }: Batch): ValueColumn[] {
  if (!configuration || job_type === 'parse') return [];
  if (job_type === 'classify') {
    const rules = (configuration.rules ?? []) as { type: string }[];
    return [
      { pointer: '/type', label: t('Type'), kind: 'choice', choices: rules.map(({ type }) => type) },
      { pointer: '/reasoning', label: t('Reasoning'), kind: 'text', isReadOnly: true },
    ];
  }
  const target = configuration.extraction_target;
  if (target === 'per_page' || target === 'per_table_row') {
    return [{ pointer: '', label: t('Results'), kind: 'json', isReadOnly: true }];
  }
  const root = configuration.data_schema as Node;
  return listFields(root, root, '', '', 0);
}

function listFields(node: unknown, root: Node, pointer: string, label: string, depth: number): ValueColumn[] {
  const options = resolveOptions(node, root);
  const group = options.find(({ properties }) => typeof properties === 'object' && properties !== null);
  if (group && depth < MAX_DEPTH) {
    return Object.entries(group.properties as Node).flatMap(([name, inner]) =>
      listFields(inner, root, appendPointer(pointer, name), label ? `${label}.${name}` : name, depth + 1),
    );
  }
  return [{ pointer, label, ...describeKind(options) }];
}

function describeKind(options: Node[]): Pick<ValueColumn, 'kind' | 'choices'> {
  const choices = options.flatMap((option) => (Array.isArray(option.enum) ? option.enum : []));
  const texts = choices.filter((each) => typeof each === 'string');
  if (texts.length > 0 && choices.every((each) => each === null || typeof each === 'string')) {
    return { kind: 'choice', choices: texts };
  }
  const types = new Set(
    options.flatMap(({ type }) => [type].flat()).filter((type) => type && type !== 'null'),
  );
  const [type] = types;
  if (types.size !== 1) return { kind: 'json' };
  if (type === 'number' || type === 'integer') return { kind: 'number' };
  if (type === 'boolean') return { kind: 'boolean' };
  if (type !== 'string') return { kind: 'json' };
  return { kind: options.some(({ format }) => format === 'date') ? 'date' : 'text' };
}

/** Values below this confidence are marked as uncertain. */
export const LOW_CONFIDENCE = 0.7;

export interface CellState {
  value: unknown;
  confidence: number | undefined;
  isCorrected: boolean;
  isMissing: boolean;
  isLow: boolean;
}

/** Returns the value of a cell with the corrections of the review, and how certain it is. */
export function readCell(item: Item, { pointer }: ValueColumn, jobType: Batch['job_type']): CellState {
  const corrections = (item.corrections ?? {}) as Node;
  const key = jobType === 'classify' ? pointer.slice(1) : pointer;
  const isCorrected = Object.hasOwn(corrections, key);
  const value = isCorrected
    ? corrections[key]
    : pointer === ''
      ? item.result
      : findAtPointer(item.result, pointer);
  const confidence = isCorrected ? undefined : item.confidences?.[pointer];
  const isMissing = value === undefined || value === null || value === '';
  return {
    value,
    confidence,
    isCorrected,
    isMissing,
    isLow: confidence !== undefined && !isMissing && confidence < LOW_CONFIDENCE,
  };
}

/** Formats a value as the text of a cell. */
export function formatValue(value: unknown): string {
  if (value === null || value === undefined) return '';
  if (Array.isArray(value)) {
    const isPlain = value.every((each) => typeof each !== 'object' || each === null);
    return isPlain
      ? value.join('; ')
      : t('{count, plural, one {# item} other {# items}}', { count: value.length });
  }
  return typeof value === 'object' ? JSON.stringify(value) : String(value);
}

/** Returns the text with which a value is edited. */
export const toDraft = (value: unknown, kind: ValueKind): string =>
  value === null || value === undefined ? '' : kind === 'json' ? JSON.stringify(value) : String(value);

/** Parses an edited text. An empty text means that the document has no such value. Throws if it is invalid. */
export function parseDraft(draft: string, kind: ValueKind): unknown {
  const text = draft.trim();
  if (text === '') return null;
  if (kind === 'boolean') return text === 'true';
  if (kind === 'json') return JSON.parse(text);
  if (kind !== 'number') return text;
  const number = Number(text);
  if (Number.isNaN(number)) throw new Error(t('"{text}" is not a number. Write it as 1234.5.', { text }));
  return number;
}
