import { isRecord, type JsonSchema } from '#src/json-schema/schema.ts';
import { atOnce, type Pieces, withPauses } from '#src/lib/async/in-pieces.ts';
import type { ExtractionTarget } from './configuration.ts';
import { type Citation, confidenceOf, type EvidenceMap } from './evidence.ts';
import { type Repaired, repair, sourceOf } from './repair.ts';

/**
 * Metadata of one leaf. Confidences range from 0 to 1 and are not calibrated; `confidence` is the product of
 * the others.
 */
export interface FieldMetadataEntry {
  citation?: Citation[];
  confidence?: number;
  extraction_confidence?: number;
  /** Absent if no place is cited or the OCR engine reports no confidence. */
  parsing_confidence?: number;
  reasoning?: string;
}

/** Metadata in the structure of the result: an entry per scalar, a list per array, a map per object. */
export type FieldMetadata = FieldMetadataEntry | FieldMetadata[] | { [name: string]: FieldMetadata };

export interface ExtractResult {
  /** One object for per_doc, a list for per_page and per_table_row. */
  extract_result: Record<string, unknown> | Record<string, unknown>[];
  /** Absent unless sources or confidences were requested. */
  field_metadata?: {
    document_metadata?: FieldMetadata;
    page_metadata?: FieldMetadata[];
    row_metadata?: FieldMetadata[];
  };
  /**
   * JSON pointers of required places that stayed null because of missing evidence, although they are not
   * nullable.
   */
  missing: string[];
}

export interface ResultOptions {
  schema: JsonSchema;
  target: ExtractionTarget;
  citeSources: boolean;
  confidenceScores: boolean;
}

/**
 * Builds the result of an extraction with verified evidence. Values are repaired to fit the schema, and
 * metadata mirror them.
 */
export function buildResult(extractions: Checked[], options: ResultOptions): ExtractResult {
  return atOnce(resultInPieces(extractions, options));
}

/** Like buildResult, with pauses, because there may be thousands of rows. */
export function buildResultWithPauses(
  extractions: Checked[],
  options: ResultOptions,
  pause: () => Promise<void>,
): Promise<ExtractResult> {
  return withPauses(resultInPieces(extractions, options), pause);
}

interface Checked {
  value: unknown;
  evidence: EvidenceMap;
}

/** Schema checks between two pauses. */
const STEPS_AT_A_STRETCH = 100_000;

function* resultInPieces(extractions: Checked[], options: ResultOptions): Pieces<ExtractResult> {
  const repaired: Repaired[] = [];
  for (const { value } of extractions) {
    const one = repair(options.schema, value);
    repaired.push(one);
    yield one.steps / STEPS_AT_A_STRETCH;
  }
  const many = options.target !== 'per_doc';
  const values = repaired.map(({ value }) => (isRecord(value) ? value : {}));
  const missing = repaired.flatMap((one, index) => one.missing.map((at) => (many ? `/${index}${at}` : at)));
  const result = { extract_result: many ? values : (values[0] ?? {}), missing };
  if (!options.citeSources && !options.confidenceScores) return result;
  const metadata = extractions.map(({ evidence }, index) =>
    mirror(values[index], [], new Evidence(evidence, repaired[index]!, options)),
  );
  if (options.target === 'per_page') return { ...result, field_metadata: { page_metadata: metadata } };
  if (options.target === 'per_table_row') return { ...result, field_metadata: { row_metadata: metadata } };
  return { ...result, field_metadata: { document_metadata: metadata[0] ?? {} } };
}

class Evidence {
  private readonly evidence: EvidenceMap;
  private readonly changed: ReadonlySet<string>;
  private readonly repaired: Repaired;
  private readonly options: ResultOptions;

  constructor(evidence: EvidenceMap, repaired: Repaired, options: ResultOptions) {
    this.evidence = evidence;
    this.changed = new Set(repaired.changed);
    this.repaired = repaired;
    this.options = options;
  }

  entry(value: unknown, path: (string | number)[]): FieldMetadataEntry {
    const source = sourceOf(this.repaired, path);
    const found = value === null ? undefined : this.evidence.get(source);
    const entry: FieldMetadataEntry = {};
    const citations = found?.citations ?? [];
    if (this.options.citeSources) entry.citation = citations;
    if (this.options.confidenceScores) {
      const extraction = found ? confidenceOf(found, this.changed.has(source)) : 0;
      entry.confidence = round(extraction * (found?.parsing ?? 1));
      entry.extraction_confidence = round(extraction);
      if (found?.parsing !== undefined) entry.parsing_confidence = round(found.parsing);
    }
    if (found?.reasoning) entry.reasoning = found.reasoning;
    return entry;
  }
}

function mirror(value: unknown, path: (string | number)[], evidence: Evidence): FieldMetadata {
  if (Array.isArray(value)) return value.map((item, index) => mirror(item, [...path, index], evidence));
  if (isRecord(value)) {
    return Object.fromEntries(
      Object.entries(value).map(([name, inner]) => [name, mirror(inner, [...path, name], evidence)]),
    );
  }
  return evidence.entry(value, path);
}

function round(value: number): number {
  return Math.round(value * 1000) / 1000;
}
