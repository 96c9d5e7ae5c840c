import type { Page } from '#src/documents/document.ts';
import type { ExtractionTarget } from '#src/extraction/configuration.ts';
import type { Extraction } from '#src/extraction/evidence.ts';
import { detectDateOrder } from '#src/extraction/values/dates.ts';
import { detectDecimalMark } from '#src/extraction/values/numbers.ts';
import { type JsonSchema, MAX_LEVELS, resolve, typeOf } from '#src/json-schema/schema.ts';
import { atOnce, type Pieces, withPauses } from '#src/lib/async/in-pieces.ts';
import { loadWordWeight, type WordWeight } from '../word-weight.ts';
import type { Context } from './candidates.ts';
import type { EvidenceModel } from './evidence.ts';
import { describeField, type Field, propertiesOf } from './fields.ts';
import { Gathering, judged, judgedItems } from './gather.ts';
import { LabelIndex } from './labels.ts';
import { layOut } from './layout.ts';
import { byItem, Notes } from './notes.ts';
import { Prose } from './prose/index.ts';
import { sectionsOf } from './sections.ts';
import { type Shape, shapeOf, wantedOf } from './shape.ts';
import { foldRows } from './tables/fold-rows.ts';
import { readLineItems } from './tables/line-items.ts';
import { readTables } from './tables/tables.ts';
import { dictionariesOf } from './vocabulary/dictionary.ts';
import { FITTED } from './weights.ts';

/** A value that is rather wrong than right is left null. */
export const THRESHOLD = 0.5;

/** A stretch is so many fields: each of them is looked for in the whole text. */
const FIELD = 1 / 10;

/**
 * Reads what a schema asks for out of pages, by labels, layout, patterns and sentences alone. Fields times sentences take
 * long, so other requests are let in between by `pause`, which may throw to end the work.
 */
export async function extractBuiltin(
  schema: JsonSchema,
  pages: Page[],
  target: ExtractionTarget,
  pause: () => Promise<void>,
): Promise<Extraction[]> {
  return withPauses(extractInPieces(await loadWordWeight(), schema, pages, target, FITTED), pause);
}

/** As extractBuiltin, with the weights of words at hand and without a pause. */
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
    const extractor = new Extractor(schema, contextOf(schema, part, weight, model));
    const extracted = target === 'per_table_row' ? extractor.rows() : [yield* extractor.document()];
    for (const each of extracted) found.push(each);
  }
  return found;
}

export function contextOf(
  schema: JsonSchema,
  pages: Page[],
  weight: WordWeight,
  model: EvidenceModel,
): Context {
  const layout = layOut(pages);
  const text = pages.map((page) => page.text).join('\n');
  const locale = { dateOrder: detectDateOrder(text), decimalMark: detectDecimalMark(text) };
  const words = dictionariesOf(schema, text, weight);
  const prose = new Prose(pages, weight, words);
  return { pages: layout, labels: new LabelIndex(layout, words), words, locale, prose, parsed: pages, model };
}

class Extractor {
  private readonly root: JsonSchema;
  private readonly context: Context;
  private readonly notes: Notes;
  private readonly gathering: Gathering;

  constructor(root: JsonSchema, context: Context, notes = new Notes()) {
    this.root = root;
    this.context = context;
    this.notes = notes;
    this.gathering = new Gathering(context);
  }

  *document(): Pieces<Extraction> {
    return { value: yield* this.object(this.root, [], []), evidence: this.notes.evidence };
  }

  rows(): Extraction[] {
    const shape = shapeOf(this.root, this.root);
    const values = this.tableItems(shape, []);
    const evidence = byItem(this.notes.evidence);
    return values.map((value, index) => ({ value, evidence: evidence.get(String(index)) ?? new Map() }));
  }

  private *object(
    schema: JsonSchema,
    path: (string | number)[],
    above: string[],
  ): Pieces<Record<string, unknown>> {
    const out: Record<string, unknown> = {};
    if (above.length > MAX_LEVELS) return out;
    for (const [name, property] of propertiesOf(this.root, schema)) {
      const own = resolve(this.root, property).schema;
      const at = [...path, name];
      const type = typeOf(own);
      if (type === 'object') out[name] = yield* this.object(own, at, [...above, name]);
      else if (type === 'array') out[name] = yield* this.array(name, own, at, above);
      else out[name] = this.leaf(describeField(this.root, name, property, above), at);
      yield FIELD;
    }
    return out;
  }

  private *array(
    name: string,
    schema: JsonSchema,
    path: (string | number)[],
    above: string[],
  ): Pieces<unknown[]> {
    const items = resolve(this.root, schema.items ?? {}).schema;
    if (typeOf(items) === 'object') return yield* this.items(items, path, [...above, singular(name)]);
    const field = describeField(
      this.root,
      name,
      { ...items, description: items.description ?? schema.description ?? '' },
      above,
    );
    return judgedItems(this.gathering.list(field), this.context.model)
      .filter((candidate) => candidate.score >= THRESHOLD)
      .map((candidate, index) => this.notes.take([...path, index], candidate));
  }

  /** A list of objects: rows of a table, else sections that begin alike, else lines that end with an amount. */
  private *items(schema: JsonSchema, path: (string | number)[], above: string[]): Pieces<unknown[]> {
    if (above.length > MAX_LEVELS) return [];
    const shape = shapeOf(this.root, schema);
    const rows = readTables(wantedOf(shape), this.context);
    const named = rows.some((row) => shape.leaves.some(({ field }) => row.has(field)));
    const holdsItems = shape.lists.some((list) => 'items' in list);
    if (rows.length > 0 && (named || !holdsItems)) return foldRows(shape, rows, path, this.notes);
    const sections = yield* this.sections(schema, path, above);
    if (sections.length > 0) return sections;
    // One item alone: what is inside it is read, and so is what stands around.
    if (holdsItems) return yield* this.single(schema, path, above);
    return foldRows(shape, readLineItems(wantedOf(shape).fields, this.context), path, this.notes);
  }

  private tableItems(shape: Shape, path: (string | number)[]): Record<string, unknown>[] {
    const wanted = wantedOf(shape);
    const rows = readTables(wanted, this.context);
    const found = rows.length > 0 ? rows : readLineItems(wanted.fields, this.context);
    return foldRows(shape, found, path, this.notes);
  }

  private *sections(schema: JsonSchema, path: (string | number)[], above: string[]): Pieces<unknown[]> {
    const fields = propertiesOf(this.root, schema)
      .filter(([, property]) => !['object', 'array'].includes(typeOf(resolve(this.root, property).schema)))
      .map(([name, property]) => describeField(this.root, name, property, above));
    const found: { value: Record<string, unknown>; notes: Notes }[] = [];
    for (const context of sectionsOf(fields, this.context)) {
      const notes = new Notes();
      found.push({ value: yield* new Extractor(this.root, context, notes).object(schema, [], above), notes });
    }
    const told = found.filter(({ notes }) => notes.evidence.size > 1);
    if (told.length < 2) return [];
    return told.map(({ value, notes }, index) => {
      this.notes.add(notes, [...path, index]);
      return value;
    });
  }

  private *single(schema: JsonSchema, path: (string | number)[], above: string[]): Pieces<unknown[]> {
    const before = this.notes.evidence.size;
    const value = yield* this.object(schema, [...path, 0], above);
    return this.notes.evidence.size > before ? [value] : [];
  }

  private leaf(field: Field, path: (string | number)[]): unknown {
    const [best] = judged(this.gathering.single(field), this.context.model);
    if (!best || best.score < THRESHOLD) return null;
    return this.notes.take(path, best);
  }
}

/** "orders" are made of "order": the labels of one say so. */
const singular = (name: string) => name.replace(/ies$/i, 'y').replace(/([^s])s$/i, '$1');
