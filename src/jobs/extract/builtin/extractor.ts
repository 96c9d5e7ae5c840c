import type { Page } from '../../../ingest/parsing/document.ts';
import type { ExtractionTarget } from '../configuration.ts';
import type { EvidenceMap, FieldEvidence } from '../evidence.ts';
import { pointer } from '../evidence.ts';
import { type JsonSchema, MAX_LEVELS, resolve, typeOf } from '../schema.ts';
import { type Candidate, type Context, labelled, merge, unlabelled } from './candidates.ts';
import { describeField, type Field, propertiesOf } from './fields.ts';
import { LabelIndex } from './labels.ts';
import { layOut } from './layout.ts';
import { type Parties, partyCandidates, readParties } from './party-fields.ts';
import { readCounts, readFallbacks, readLists } from './special.ts';
import { type Row, readAmountList, readTables } from './tables.ts';
import { readTotals } from './totals.ts';
import { detectDateOrder } from './values/dates.ts';
import { detectDecimalMark } from './values/numbers.ts';
import type { AmountRole } from './vocabulary/amounts.ts';

/** Below this a value is left null: too little speaks for it. */
const THRESHOLD = 0.28;

/** One extracted object and where each of its leaves was read. Pages of citations are 1-based. */
export interface Extraction {
  value: Record<string, unknown>;
  evidence: EvidenceMap;
}

/** Reads what a schema asks for out of pages, by labels, layout and patterns alone. */
export function extractBuiltin(schema: JsonSchema, pages: Page[], target: ExtractionTarget): Extraction[] {
  if (target === 'per_page') return pages.map((page) => new Extractor(schema, [page]).document());
  const extractor = new Extractor(schema, pages);
  return target === 'per_table_row' ? extractor.rows() : [extractor.document()];
}

class Extractor {
  private readonly root: JsonSchema;
  private readonly context: Context;
  private readonly evidence = new Map<string, FieldEvidence>();
  private cachedParties: Parties | undefined;
  private cachedTotals: Partial<Record<AmountRole, Candidate>> | undefined;

  constructor(root: JsonSchema, pages: Page[]) {
    this.root = root;
    const layout = layOut(pages);
    const text = pages.map((page) => page.text).join('\n');
    const locale = { dateOrder: detectDateOrder(text), decimalMark: detectDecimalMark(text) };
    this.context = { pages: layout, labels: new LabelIndex(layout), locale };
  }

  document(): Extraction {
    return { value: this.object(this.root, [], []), evidence: this.evidence };
  }

  rows(): Extraction[] {
    const fields = this.leaves(this.root);
    return this.tableRows(fields).map((row) => {
      const evidence = new Map<string, FieldEvidence>();
      const value = rowValue(fields, row, [], evidence);
      return { value, evidence };
    });
  }

  private object(schema: JsonSchema, path: (string | number)[], above: string[]): Record<string, unknown> {
    const out: Record<string, unknown> = {};
    if (above.length > MAX_LEVELS) return out;
    for (const [name, property] of propertiesOf(this.root, schema)) {
      const own = resolve(this.root, property).schema;
      const at = [...path, name];
      const type = typeOf(own);
      if (type === 'object') out[name] = this.object(own, at, [...above, name]);
      else if (type === 'array') out[name] = this.array(name, own, at, above);
      else out[name] = this.leaf(describeField(this.root, name, property, above), at);
    }
    return out;
  }

  private array(name: string, schema: JsonSchema, path: (string | number)[], above: string[]): unknown[] {
    const items = resolve(this.root, schema.items ?? {}).schema;
    if (typeOf(items) === 'object') {
      const fields = this.leaves(items);
      return this.tableRows(fields).map((row, index) =>
        rowValue(fields, row, [...path, index], this.evidence),
      );
    }
    const field = describeField(
      this.root,
      name,
      { ...items, description: items.description ?? schema.description ?? '' },
      above,
    );
    return readLists(field, this.context)
      .filter((candidate) => candidate.score >= THRESHOLD)
      .map((candidate, index) => this.note([...path, index], candidate));
  }

  private tableRows(fields: Field[]): Row[] {
    const rows = readTables(fields, this.context);
    return rows.length > 0 ? rows : readAmountList(fields, this.context);
  }

  private leaves(schema: JsonSchema): Field[] {
    return propertiesOf(this.root, schema)
      .filter(([, property]) => !['object', 'array'].includes(typeOf(resolve(this.root, property).schema)))
      .map(([name, property]) => describeField(this.root, name, property, [], true));
  }

  private leaf(field: Field, path: (string | number)[]): unknown {
    const [best] = merge(this.candidates(field));
    if (!best || best.score < THRESHOLD) return null;
    return this.note(path, best);
  }

  private candidates(field: Field): Candidate[] {
    if (field.amount) {
      this.cachedTotals ??= readTotals(this.context);
      const total = this.cachedTotals[field.amount];
      if (total) return [total];
    }
    const found = [...labelled(field, this.context), ...readCounts(field, this.context)];
    if (field.role && field.part) {
      this.cachedParties ??= readParties(this.context);
      found.push(...partyCandidates(field, this.cachedParties, this.context));
    } else found.push(...unlabelled(field, this.context));
    if (found.every((candidate) => candidate.score < THRESHOLD))
      found.push(...readFallbacks(field, this.context));
    return found;
  }

  private note(path: (string | number)[], candidate: Candidate): unknown {
    this.evidence.set(pointer(path), evidenceOf(candidate));
    return candidate.value;
  }
}

function evidenceOf(candidate: Candidate): FieldEvidence {
  return {
    confidence: candidate.score,
    citations: candidate.spans.map((span) => ({
      page: span.page + 1,
      matching_text: span.text,
      ...(span.box && { bounding_boxes: [span.box] }),
    })),
    ...(candidate.label && { reasoning: `Read at the label "${candidate.label.trim()}".` }),
  };
}

function rowValue(
  fields: Field[],
  row: Row,
  path: (string | number)[],
  evidence: Map<string, FieldEvidence>,
): Record<string, unknown> {
  return Object.fromEntries(
    fields.map((field) => {
      const candidate = row.get(field);
      if (!candidate) return [field.name, null];
      evidence.set(pointer([...path, field.name]), evidenceOf(candidate));
      return [field.name, candidate.value];
    }),
  );
}
