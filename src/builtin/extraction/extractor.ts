import type { ExtractionTarget } from '#src/jobs/extract/configuration.ts';
import type { Extraction } from '#src/jobs/extract/evidence.ts';
import { type JsonSchema, MAX_LEVELS, resolve, typeOf } from '#src/jobs/extract/schema.ts';
import { detectDateOrder } from '#src/jobs/extract/values/dates.ts';
import { detectDecimalMark } from '#src/jobs/extract/values/numbers.ts';
import type { Page } from '#src/parsing/document.ts';
import { type Candidate, type Context, labelled, merge, unlabelled } from './candidates.ts';
import { documentDates } from './document-date.ts';
import { scored } from './evidence-score.ts';
import { describeField, type Field, propertiesOf } from './fields.ts';
import { foldRows } from './fold-rows.ts';
import { LabelIndex } from './labels.ts';
import { layOut } from './layout.ts';
import { readLineItems } from './line-items.ts';
import { byItem, Notes } from './notes.ts';
import { type Parties, readParties } from './parties.ts';
import { makersDetail, mayName, partyCandidates } from './party-fields.ts';
import { sectionsOf } from './sections.ts';
import { type Shape, shapeOf, wantedOf } from './shape.ts';
import { readCounts, readFallbacks, readLists } from './special.ts';
import { readTables } from './tables.ts';
import { ownAmounts, readTotals } from './totals.ts';
import type { AmountRole } from './vocabulary/amounts.ts';

/** Below this a value is left null: too little speaks for it. */
const THRESHOLD = 0.28;

/** Reads what a schema asks for out of pages, by labels, layout and patterns alone. */
export function extractBuiltin(schema: JsonSchema, pages: Page[], target: ExtractionTarget): Extraction[] {
  if (target === 'per_page') return pages.map((page) => extractorOf(schema, [page]).document());
  const extractor = extractorOf(schema, pages);
  return target === 'per_table_row' ? extractor.rows() : [extractor.document()];
}

function extractorOf(schema: JsonSchema, pages: Page[]): Extractor {
  const layout = layOut(pages);
  const text = pages.map((page) => page.text).join('\n');
  const locale = { dateOrder: detectDateOrder(text), decimalMark: detectDecimalMark(text) };
  return new Extractor(schema, { pages: layout, labels: new LabelIndex(layout), locale });
}

class Extractor {
  private readonly root: JsonSchema;
  private readonly context: Context;
  private readonly notes: Notes;
  private cachedParties: Parties | undefined;
  private cachedTotals: Partial<Record<AmountRole, Candidate>> | undefined;

  constructor(root: JsonSchema, context: Context, notes = new Notes()) {
    this.root = root;
    this.context = context;
    this.notes = notes;
  }

  document(): Extraction {
    return { value: this.object(this.root, [], []), evidence: this.notes.evidence };
  }

  rows(): Extraction[] {
    const shape = shapeOf(this.root, this.root);
    const values = this.tableItems(shape, []);
    const evidence = byItem(this.notes.evidence);
    return values.map((value, index) => ({ value, evidence: evidence.get(String(index)) ?? new Map() }));
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
    if (typeOf(items) === 'object') return this.items(items, path, [...above, singular(name)]);
    const field = describeField(
      this.root,
      name,
      { ...items, description: items.description ?? schema.description ?? '' },
      above,
    );
    return readLists(field, this.context)
      .filter((candidate) => candidate.score >= THRESHOLD)
      .map((candidate, index) => this.notes.take([...path, index], candidate));
  }

  /** A list of objects: rows of a table, else sections that begin alike, else lines that end with an amount. */
  private items(schema: JsonSchema, path: (string | number)[], above: string[]): unknown[] {
    if (above.length > MAX_LEVELS) return [];
    const shape = shapeOf(this.root, schema);
    const rows = readTables(wantedOf(shape), this.context);
    const named = rows.some((row) => shape.leaves.some(({ field }) => row.has(field)));
    const holdsItems = shape.lists.some((list) => 'items' in list);
    if (rows.length > 0 && (named || !holdsItems)) return foldRows(shape, rows, path, this.notes);
    const sections = this.sections(schema, path, above);
    if (sections.length > 0) return sections;
    // One item alone: what is inside it is read, and so is what stands around.
    if (holdsItems) return this.single(schema, path, above);
    return foldRows(shape, readLineItems(wantedOf(shape).fields, this.context), path, this.notes);
  }

  private tableItems(shape: Shape, path: (string | number)[]): Record<string, unknown>[] {
    const wanted = wantedOf(shape);
    const rows = readTables(wanted, this.context);
    const found = rows.length > 0 ? rows : readLineItems(wanted.fields, this.context);
    return foldRows(shape, found, path, this.notes);
  }

  private sections(schema: JsonSchema, path: (string | number)[], above: string[]): unknown[] {
    const fields = propertiesOf(this.root, schema)
      .filter(([, property]) => !['object', 'array'].includes(typeOf(resolve(this.root, property).schema)))
      .map(([name, property]) => describeField(this.root, name, property, above));
    const found = sectionsOf(fields, this.context).map((context) => {
      const notes = new Notes();
      return { value: new Extractor(this.root, context, notes).object(schema, [], above), notes };
    });
    const told = found.filter(({ notes }) => notes.evidence.size > 1);
    if (told.length < 2) return [];
    return told.map(({ value, notes }, index) => {
      this.notes.add(notes, [...path, index]);
      return value;
    });
  }

  private single(schema: JsonSchema, path: (string | number)[], above: string[]): unknown[] {
    const before = this.notes.evidence.size;
    const value = this.object(schema, [...path, 0], above);
    return this.notes.evidence.size > before ? [value] : [];
  }

  private leaf(field: Field, path: (string | number)[]): unknown {
    const [best] = merge(this.candidates(field));
    if (!best || best.score < THRESHOLD) return null;
    return this.notes.take(path, best);
  }

  private candidates(field: Field): Candidate[] {
    if (field.amount) {
      this.cachedTotals ??= readTotals(this.context);
      const total = this.cachedTotals[field.amount];
      // "Closing balance" is itself on paper, where "balance" may be any.
      const named = ownAmounts(field, this.context);
      if (named.length > 0) return named;
      if (total) return [total];
    }
    const found = [...labelled(field, this.context), ...readCounts(field, this.context)].filter((candidate) =>
      mayName(field, candidate),
    );
    if (field.role && field.part) found.push(...this.ofParties(field));
    else found.push(...unlabelled(field, this.context));
    if (found.some((candidate) => candidate.score >= THRESHOLD)) return found;
    const maker = makersDetail(field);
    if (maker) found.push(...this.ofParties(maker));
    found.push(...readFallbacks(field, this.context), ...documentDates(field, this.context).map(scored));
    return found;
  }

  private ofParties(field: Field): Candidate[] {
    this.cachedParties ??= readParties(this.context);
    return partyCandidates(field, this.cachedParties, this.context).map(scored);
  }
}

/** "orders" are made of "order": the labels of one say so. */
const singular = (name: string) => name.replace(/ies$/i, 'y').replace(/([^s])s$/i, '$1');
