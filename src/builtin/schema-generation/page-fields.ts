import {
  getHorizontalOverlap,
  type LayoutPage,
  layOutPages,
  type Segment,
} from '#src/builtin/extraction/layout.ts';
import { findLabelConcepts } from '#src/builtin/extraction/vocabulary/labels.ts';
import type { Page } from '#src/documents/document.ts';
import { inferFieldSchema, toFieldName } from '#src/extraction/prompt-fields.ts';
import { detectDateOrder, findDates } from '#src/extraction/values/dates.ts';
import { findAmounts } from '#src/extraction/values/numbers.ts';
import { findEmails, findUrls } from '#src/extraction/values/patterns.ts';
import type { JsonSchema } from '#src/json-schema/schema.ts';
import { splitWords } from '#src/lib/text/words.ts';

const MAX_FIELDS = 60;
const MAX_PAGES = 10;

/**
 * Infers schema properties from the labels on the pages: "Label: value" pairs, known labels, and tables as
 * lists of objects.
 */
export function inferPageFields(pages: Page[]): Record<string, JsonSchema> {
  const properties: Record<string, JsonSchema> = {};
  const layout = layOutPages(pages.slice(0, MAX_PAGES));
  const add = (name: string, schema: JsonSchema) => {
    if (Object.keys(properties).length < MAX_FIELDS && !Object.hasOwn(properties, name))
      properties[name] = schema;
  };
  for (const page of layout) {
    const tables = findTables(page);
    for (const [index, line] of page.lines.entries()) {
      if (tables.some((table) => index >= table.first && index <= table.last)) continue;
      for (const segment of line.segments) {
        const pair = readLabelledPair(segment);
        if (pair) add(toFieldName(pair.label), inferValueSchema(pair.label, [pair.value]));
      }
    }
    for (const [index, table] of tables.entries()) {
      const name = index > 0 ? `table_rows_${index + 1}` : 'table_rows';
      add(name, {
        type: 'array',
        description: 'Rows of the table',
        items: { type: 'object', properties: table.properties },
      });
    }
  }
  return Object.keys(properties).length > 0 ? properties : inferTextFields(pages);
}

/**
 * Infers schema properties for pages without labels or tables: a title, and one property for each kind of
 * value in the text.
 */
function inferTextFields(pages: Page[]): Record<string, JsonSchema> {
  const text = pages
    .slice(0, MAX_PAGES)
    .map((page) => page.text)
    .join('\n');
  if (text.trim() === '') return {};
  const list = (description: string, items: JsonSchema): JsonSchema => ({
    type: 'array',
    description,
    items,
  });
  return {
    title: { type: 'string', description: 'Title of the document' },
    ...(findDates(text).length > 0 && {
      dates: list('Dates in the text', { type: 'string', format: 'date' }),
    }),
    ...(findEmails(text).length > 0 && {
      emails: list('E-mail addresses', { type: 'string', format: 'email' }),
    }),
    ...(findAmounts(text).some((amount) => amount.currency) && {
      amounts: list('Amounts of money', { type: 'number' }),
    }),
  };
}

function readLabelledPair(segment: Segment): { label: string; value: string } | undefined {
  const inline = /^\s*(\p{Lu}[^:]{1,40}?)\s*:\s*(\S.*)$/u.exec(segment.text);
  if (inline && isLabel(inline[1]!)) return { label: inline[1]!, value: inline[2]! };
  const next = segment.page.lines[segment.line]!.segments[segment.index + 1];
  const bare = segment.text.replace(/(?<!\s)\s*:\s*$/, '');
  const closed = bare !== segment.text;
  const known = findLabelConcepts(splitWords(bare).join(' ')) !== undefined;
  if (!next || !(closed || known) || !/^\s*\p{Lu}/u.test(bare) || !isLabel(bare) || /:\s*$/.test(next.text))
    return undefined;
  if (!closed && findLabelConcepts(splitWords(next.text).join(' '))) return undefined;
  return { label: bare, value: next.text.replace(/^\s*:\s*/, '') };
}

function isLabel(text: string): boolean {
  const words = splitWords(text);
  return (
    words.length > 0 &&
    words.length <= 5 &&
    !words.some((word) => /\d{2}/.test(word)) &&
    !/https?$/.test(text)
  );
}

/** Infers the JSON type of a property from its values, or otherwise from its label. */
function inferValueSchema(label: string, values: string[]): JsonSchema {
  const named = inferFieldSchema(label);
  const text = values.join(' ').trim();
  const order = detectDateOrder(text);
  const all = (test: (value: string) => boolean) => values.length > 0 && values.every(test);
  if (all((value) => findDates(value, order)[0]?.text.length === value.trim().length)) {
    return { type: 'string', format: 'date', description: label };
  }
  if (all((value) => findEmails(value)[0]?.text === value.trim()))
    return { type: 'string', format: 'email', description: label };
  if (all((value) => findUrls(value)[0]?.text === value.trim()))
    return { type: 'string', description: label };
  const numeric = all((value) => {
    const [amount] = findAmounts(value);
    return (
      amount !== undefined &&
      amount.text.length === value.trim().length &&
      (amount.decimals > 0 || amount.currency !== undefined || amount.value < 10_000)
    );
  });
  if (numeric && !/\b(number|no|nr|id|code|zip|phone)\b/i.test(label))
    return { type: 'number', description: label };
  if (named.type === 'number' && !numeric) return { type: 'string', description: label };
  if (named.format === 'date' && !numeric && findDates(text, order).length === 0)
    return { type: 'string', description: label };
  return { ...named, description: label };
}

interface FoundTable {
  properties: Record<string, JsonSchema>;
  /** First and last line of the table on its page, both inclusive. */
  first: number;
  last: number;
}

/**
 * Finds tables: a line of headings, followed by rows with cells in the same columns. Returns the properties
 * of a row for each table.
 */
function findTables(page: LayoutPage): FoundTable[] {
  const tables: FoundTable[] = [];
  for (let first = 0; first < page.lines.length - 1; first++) {
    const headings = page.lines[first]!.segments;
    const drawn = headings.every((heading) => heading.cell);
    if (headings.length < (drawn ? 2 : 3)) continue;
    if (headings.some((heading) => !isLabel(heading.text) || /:\s*$/.test(heading.text))) continue;
    const rows: (string | undefined)[][] = [];
    let next = first + 1;
    for (; next < page.lines.length; next++) {
      const cells = page.lines[next]!.segments;
      const row = headings.map(
        (heading) => cells.find((cell) => getHorizontalOverlap(heading.box, cell.box) > 0.2)?.text,
      );
      if (row.filter(Boolean).length < (drawn ? 1 : Math.max(2, headings.length - 1))) break;
      rows.push(row);
    }
    if (rows.length < (drawn ? 1 : 2)) continue;
    const columns = headings.map(({ text }, column) => [
      toFieldName(text),
      inferValueSchema(
        text,
        rows.flatMap((row) => row[column] ?? []),
      ),
    ]);
    tables.push({ properties: Object.fromEntries(columns), first, last: next - 1 });
    first = next - 1;
  }
  return tables;
}
