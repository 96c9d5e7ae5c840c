import type { ExtractionTarget } from './configuration.ts';
import { type Citation, type EvidenceMap, pointer } from './evidence.ts';
import { type Repaired, repair } from './repair.ts';
import { isRecord, type JsonSchema } from './schema.ts';

/** What is known about one leaf. Confidences are 0..1 and not calibrated; `confidence` is the others' product. */
export interface FieldMetadataEntry {
  citation?: Citation[];
  confidence?: number;
  extraction_confidence?: number;
  /** Absent when no place is cited, or the OCR engine does not say how sure it is. */
  parsing_confidence?: number;
  reasoning?: string;
}

/** Mirrors the result: an entry per scalar, a list per array, a map per object. */
export type FieldMetadata = FieldMetadataEntry | FieldMetadata[] | { [name: string]: FieldMetadata };

export interface ExtractResult {
  /** One object for per_doc, a list for per_page and per_table_row. */
  extract_result: Record<string, unknown> | Record<string, unknown>[];
  /** Absent unless sources or confidences were asked for. */
  field_metadata?: {
    document_metadata?: FieldMetadata;
    page_metadata?: FieldMetadata[];
    row_metadata?: FieldMetadata[];
  };
  /** JSON pointers of required, not nullable places that stayed null for want of evidence. */
  missing: string[];
}

export interface ResultOptions {
  schema: JsonSchema;
  target: ExtractionTarget;
  citeSources: boolean;
  confidenceScores: boolean;
}

/**
 * The result of an extraction, by the built-in extractor or a model, whose evidence has been checked: values
 * repaired to the schema, metadata in their shape.
 */
export function buildResult(
  extractions: { value: unknown; evidence: EvidenceMap }[],
  options: ResultOptions,
): ExtractResult {
  const repaired = extractions.map(({ value }) => repair(options.schema, value));
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
  private readonly moved: ReadonlyMap<string, number>;
  private readonly options: ResultOptions;

  constructor(evidence: EvidenceMap, repaired: Repaired, options: ResultOptions) {
    this.evidence = evidence;
    this.changed = new Set(repaired.changed);
    this.moved = repaired.moved;
    this.options = options;
  }

  /** The pointer a place had before items ahead of it were dropped. */
  private original(path: (string | number)[]): string {
    return pointer(path.map((part, index) => this.moved.get(pointer(path.slice(0, index + 1))) ?? part));
  }

  entry(value: unknown, path: (string | number)[]): FieldMetadataEntry {
    const at = pointer(path);
    const found = value === null ? undefined : this.evidence.get(this.original(path));
    const entry: FieldMetadataEntry = {};
    const citations = found?.citations ?? [];
    if (this.options.citeSources) entry.citation = citations;
    if (this.options.confidenceScores) {
      const extraction = found ? confidenceOf(found.confidence, citations.length, this.changed.has(at)) : 0;
      entry.confidence = round(extraction * (found?.parsing ?? 1));
      entry.extraction_confidence = round(extraction);
      if (found?.parsing !== undefined) entry.parsing_confidence = round(found.parsing);
    }
    if (found?.reasoning) entry.reasoning = found.reasoning;
    return entry;
  }
}

/**
 * Evidence 0..1 as the reader judged it (how well the label fits, how near the value stands, how exactly its
 * pattern matches, how many places agree), halved when no citation of it survived, and lowered by a fifth when
 * the value had to be converted.
 */
export function confidenceOf(evidence: number, citations: number, converted: boolean): number {
  const grounded = citations > 0 ? evidence : evidence * 0.5;
  return Math.max(0, Math.min(1, converted ? grounded * 0.8 : grounded));
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
