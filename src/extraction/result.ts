import { isRecord, type JsonSchema } from '#src/json-schema/schema.ts';
import { atOnce, type Pieces, withPauses } from '#src/lib/async/in-pieces.ts';
import type { ExtractionTarget } from './configuration.ts';
import { type Citation, computeConfidence, type EvidenceMap } from './evidence.ts';
import { findSourcePointer, type Repaired, repair } from './repair.ts';

/**
 * Metadata of one extracted value. Confidences range from 0 to 1 and are not calibrated. `confidence` is
 * `extraction_confidence` times `parsing_confidence`.
 */
export interface FieldMetadataEntry {
  citation?: Citation[];
  confidence?: number;
  extraction_confidence?: number;
  /**
   * OCR confidence at the cited places. Absent if the value has no citation or the OCR engine reports no
   * confidence.
   */
  parsing_confidence?: number;
  reasoning?: string;
}

/**
 * Metadata with the same structure as the extracted result. Each scalar has an entry, each array a list, and
 * each object a map.
 */
export type FieldMetadata = FieldMetadataEntry | FieldMetadata[] | { [name: string]: FieldMetadata };

export interface ExtractResult {
  /**
   * Extracted values: one object for the target `per_doc`, and a list of objects for `per_page` and
   * `per_table_row`.
   */
  extract_result: Record<string, unknown> | Record<string, unknown>[];
  /** Metadata of the extracted values. Absent unless the caller requested sources or confidences. */
  field_metadata?: {
    document_metadata?: FieldMetadata;
    page_metadata?: FieldMetadata[];
    row_metadata?: FieldMetadata[];
  };
  /**
   * JSON pointers of required values for which the document has no evidence. They are null although the
   * schema does not allow null.
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
 * Builds the result from extractions whose evidence has been verified. Repairs the values to fit the schema,
 * and arranges their metadata in the same structure.
 */
export function buildResult(extractions: CheckedExtraction[], options: ResultOptions): ExtractResult {
  return atOnce(buildInPieces(extractions, options));
}

/**
 * Works like `buildResult`, but awaits `pause` at intervals, because thousands of rows would otherwise block
 * other requests.
 */
export function buildResultWithPauses(
  extractions: CheckedExtraction[],
  options: ResultOptions,
  pause: () => Promise<void>,
): Promise<ExtractResult> {
  return withPauses(buildInPieces(extractions, options), pause);
}

interface CheckedExtraction {
  value: unknown;
  evidence: EvidenceMap;
}

/** Number of schema checks between two pauses. */
const STEPS_PER_PIECE = 100_000;

function* buildInPieces(extractions: CheckedExtraction[], options: ResultOptions): Pieces<ExtractResult> {
  const repaired: Repaired[] = [];
  for (const { value } of extractions) {
    const one = repair(options.schema, value);
    repaired.push(one);
    yield one.steps / STEPS_PER_PIECE;
  }
  const many = options.target !== 'per_doc';
  const values = repaired.map(({ value }) => (isRecord(value) ? value : {}));
  const missing = repaired.flatMap((one, index) => one.missing.map((at) => (many ? `/${index}${at}` : at)));
  const result = { extract_result: many ? values : (values[0] ?? {}), missing };
  if (!options.citeSources && !options.confidenceScores) return result;
  const metadata = extractions.map(({ evidence }, index) =>
    buildMetadata(values[index], [], new MetadataBuilder(evidence, repaired[index]!, options)),
  );
  if (options.target === 'per_page') return { ...result, field_metadata: { page_metadata: metadata } };
  if (options.target === 'per_table_row') return { ...result, field_metadata: { row_metadata: metadata } };
  return { ...result, field_metadata: { document_metadata: metadata[0] ?? {} } };
}

class MetadataBuilder {
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
    const source = findSourcePointer(this.repaired, path);
    const found = value === null ? undefined : this.evidence.get(source);
    const entry: FieldMetadataEntry = {};
    const citations = found?.citations ?? [];
    if (this.options.citeSources) entry.citation = citations;
    if (this.options.confidenceScores) {
      const extraction = found ? computeConfidence(found, this.changed.has(source)) : 0;
      entry.confidence = roundConfidence(extraction * (found?.parsing ?? 1));
      entry.extraction_confidence = roundConfidence(extraction);
      if (found?.parsing !== undefined) entry.parsing_confidence = roundConfidence(found.parsing);
    }
    if (found?.reasoning) entry.reasoning = found.reasoning;
    return entry;
  }
}

function buildMetadata(value: unknown, path: (string | number)[], evidence: MetadataBuilder): FieldMetadata {
  if (Array.isArray(value))
    return value.map((item, index) => buildMetadata(item, [...path, index], evidence));
  if (isRecord(value)) {
    return Object.fromEntries(
      Object.entries(value).map(([name, inner]) => [name, buildMetadata(inner, [...path, name], evidence)]),
    );
  }
  return evidence.entry(value, path);
}

function roundConfidence(value: number): number {
  return Math.round(value * 1000) / 1000;
}
