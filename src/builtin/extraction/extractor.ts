import type { Page } from '#src/documents/document.ts';
import type { ExtractionTarget } from '#src/extraction/configuration.ts';
import type { Extraction } from '#src/extraction/evidence.ts';
import { detectDateOrder } from '#src/extraction/values/dates.ts';
import { detectDecimalMark } from '#src/extraction/values/numbers.ts';
import { getSchemaType, type JsonSchema, MAX_LEVELS, resolve } from '#src/json-schema/schema.ts';
import { atOnce, type Pieces, withPauses } from '#src/lib/async/in-pieces.ts';
import { loadWordWeight, type WordWeight } from '../word-weight.ts';
import type { Context } from './candidates.ts';
import type { Candidate, EvidenceModel } from './evidence.ts';
import { describeField, type Field, listProperties } from './fields.ts';
import { CandidateCollector, rankByProbability, scoreListItems } from './gather.ts';
import { LabelIndex } from './labels.ts';
import { layOutPages } from './layout.ts';
import { EvidenceCollector, groupByItem } from './notes.ts';
import { Prose } from './prose/index.ts';
import { splitIntoSections } from './sections.ts';
import { buildShape, listTableFields, type Shape } from './shape.ts';
import { foldRows } from './tables/fold-rows.ts';
import { readLineItems } from './tables/line-items.ts';
import { readTables } from './tables/tables.ts';
import { createDictionaries } from './vocabulary/dictionary.ts';
import { FITTED } from './weights.ts';

/** Minimum probability of a value. A less probable value is returned as null. */
export const MIN_PROBABILITY = 0.5;

/**
 * Work for one field, as a share of the work between two pauses. Each field is searched for in the whole
 * text.
 */
const WORK_PER_FIELD = 1 / 10;

/**
 * Extracts the values of a schema from pages by labels, layout, patterns and sentences, without a model. The
 * work grows with fields times sentences, so `pause` lets other requests run in between. `pause` may throw to
 * stop the extraction.
 */
export async function extractBuiltin(
  schema: JsonSchema,
  pages: Page[],
  target: ExtractionTarget,
  pause: () => Promise<void>,
): Promise<Extraction[]> {
  return withPauses(extractInPieces(await loadWordWeight(), schema, pages, target, FITTED), pause);
}

/** Extracts values like `extractBuiltin`, but without pauses and with the given word weights. */
export function extractWith(
  weight: WordWeight,
  schema: JsonSchema,
  pages: Page[],
  target: ExtractionTarget,
  model: EvidenceModel = FITTED,
): Extraction[] {
  return atOnce(extractInPieces(weight, schema, pages, target, model));
}

function* extractInPieces(
  weight: WordWeight,
  schema: JsonSchema,
  pages: Page[],
  target: ExtractionTarget,
  model: EvidenceModel,
): Pieces<Extraction[]> {
  const parts = target === 'per_page' ? pages.map((page) => [page]) : [pages];
  const found: Extraction[] = [];
  for (const part of parts) {
    const extractor = new Extractor(schema, createContext(schema, part, weight, model));
    const extracted =
      target === 'per_table_row' ? extractor.extractRows() : [yield* extractor.extractDocument()];
    for (const each of extracted) found.push(each);
  }
  return found;
}

export function createContext(
  schema: JsonSchema,
  pages: Page[],
  weight: WordWeight,
  model: EvidenceModel,
): Context {
  const layout = layOutPages(pages);
  const text = pages.map((page) => page.text).join('\n');
  const locale = { dateOrder: detectDateOrder(text), decimalMark: detectDecimalMark(text) };
  const words = createDictionaries(schema, text, weight);
  const prose = new Prose(pages, weight, words);
  return {
    pages: layout,
    labels: new LabelIndex(layout, words),
    words,
    locale,
    prose,
    parsedPages: pages,
    model,
  };
}

class Extractor {
  private readonly root: JsonSchema;
  private readonly context: Context;
  private readonly notes: EvidenceCollector;
  private readonly candidates: CandidateCollector;

  constructor(root: JsonSchema, context: Context, notes = new EvidenceCollector()) {
    this.root = root;
    this.context = context;
    this.notes = notes;
    this.candidates = new CandidateCollector(context);
  }

  *extractDocument(): Pieces<Extraction> {
    return { value: yield* this.readObject(this.root, [], []), evidence: this.notes.evidence };
  }

  extractRows(): Extraction[] {
    const shape = buildShape(this.root, this.root);
    const values = this.readTableItems(shape, []);
    const evidence = groupByItem(this.notes.evidence);
    return values.map((value, index) => ({ value, evidence: evidence.get(String(index)) ?? new Map() }));
  }

  private *readObject(
    schema: JsonSchema,
    path: (string | number)[],
    above: string[],
  ): Pieces<Record<string, unknown>> {
    const out: Record<string, unknown> = {};
    if (above.length > MAX_LEVELS) return out;
    for (const [name, property] of listProperties(this.root, schema)) {
      const own = resolve(this.root, property).schema;
      const at = [...path, name];
      const type = getSchemaType(own);
      if (type === 'object') out[name] = yield* this.readObject(own, at, [...above, name]);
      else if (type === 'array') out[name] = yield* this.readArray(name, own, at, above);
      else out[name] = this.readLeaf(describeField(this.root, name, property, above), at);
      yield WORK_PER_FIELD;
    }
    return out;
  }

  private *readArray(
    name: string,
    schema: JsonSchema,
    path: (string | number)[],
    above: string[],
  ): Pieces<unknown[]> {
    const items = resolve(this.root, schema.items ?? {}).schema;
    if (getSchemaType(items) === 'object')
      return yield* this.readItems(items, path, [...above, singular(name)]);
    const field = describeField(
      this.root,
      name,
      { ...items, description: items.description ?? schema.description ?? '' },
      above,
    );
    return scoreListItems(this.candidates.collectForList(field), this.context.model)
      .filter((candidate) => candidate.score >= MIN_PROBABILITY)
      .map((candidate, index) => this.notes.record([...path, index], candidate));
  }

  /**
   * Reads a list of objects from the rows of a table, or otherwise from sections that begin the same way, or
   * otherwise from lines that end with an amount.
   */
  private *readItems(schema: JsonSchema, path: (string | number)[], above: string[]): Pieces<unknown[]> {
    if (above.length > MAX_LEVELS) return [];
    const shape = buildShape(this.root, schema);
    const rows = readTables(listTableFields(shape), this.context);
    const named = rows.some((row) => shape.leaves.some(({ field }) => row.has(field)));
    const hasItemLists = shape.lists.some((list) => 'items' in list);
    if (rows.length > 0 && (named || !hasItemLists)) return foldRows(shape, rows, path, this.notes);
    const sections = yield* this.readSections(schema, path, above);
    if (sections.length > 0) return sections;
    // The list is treated as if it had a single item, whose inner lists are read together with the text
    // around them.
    if (hasItemLists) return yield* this.readSingleItem(schema, path, above);
    return foldRows(shape, readLineItems(listTableFields(shape).fields, this.context), path, this.notes);
  }

  private readTableItems(shape: Shape, path: (string | number)[]): Record<string, unknown>[] {
    const wanted = listTableFields(shape);
    const rows = readTables(wanted, this.context);
    const found = rows.length > 0 ? rows : readLineItems(wanted.fields, this.context);
    return foldRows(shape, found, path, this.notes);
  }

  private *readSections(schema: JsonSchema, path: (string | number)[], above: string[]): Pieces<unknown[]> {
    const fields = listProperties(this.root, schema)
      .filter(
        ([, property]) => !['object', 'array'].includes(getSchemaType(resolve(this.root, property).schema)),
      )
      .map(([name, property]) => describeField(this.root, name, property, above));
    const found: { value: Record<string, unknown>; notes: EvidenceCollector }[] = [];
    for (const context of splitIntoSections(fields, this.context)) {
      const notes = new EvidenceCollector();
      found.push({
        value: yield* new Extractor(this.root, context, notes).readObject(schema, [], above),
        notes,
      });
    }
    const filledSections = found.filter(({ notes }) => notes.evidence.size > 1);
    if (filledSections.length < 2) return [];
    return filledSections.map(({ value, notes }, index) => {
      this.notes.addNested(notes, [...path, index]);
      return value;
    });
  }

  private *readSingleItem(schema: JsonSchema, path: (string | number)[], above: string[]): Pieces<unknown[]> {
    const before = this.notes.evidence.size;
    const value = yield* this.readObject(schema, [...path, 0], above);
    return this.notes.evidence.size > before ? [value] : [];
  }

  private readLeaf(field: Field, path: (string | number)[]): unknown {
    const [best] = rankByProbability(this.candidates.collectForField(field), this.context.model);
    if (!best || best.score < MIN_PROBABILITY) return null;
    const value = this.notes.record(path, best);
    return field.type === 'string' && typeof value === 'number' ? toPrintedNumber(best, value) : value;
  }
}

/** Returns a number as it is printed, without its currency, so that "7.60" stays "7.60" in a string field. */
function toPrintedNumber({ spans: [span] }: Candidate, value: number): string {
  const digits = /\d(?:[\d.,'’ \u00a0\u202f]{0,30}\d)?/.exec(span?.text ?? '')?.[0] ?? String(value);
  return value < 0 ? `-${digits}` : digits;
}

/** Returns the singular of an English name. Items of "orders" are labelled "order". */
const singular = (name: string) => name.replace(/ies$/i, 'y').replace(/([^s])s$/i, '$1');
