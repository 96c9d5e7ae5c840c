import type { Page } from '#src/documents/document.ts';
import { verifyCitations } from '#src/extraction/citations.ts';
import type { FieldEvidence } from '#src/extraction/evidence.ts';
import type { Scalar } from '#src/extraction/scalars.ts';
import { type DateOrder, findDates } from '#src/extraction/values/dates.ts';
import { type Amount, findAmounts } from '#src/extraction/values/numbers.ts';
import type { JsonSchema } from '#src/json-schema/schema.ts';

/** A value that the model gave no source for and that the pages do not spell either. */
const UNSUPPORTED = 0.3;
/** A value without a source of the model's that stands in the pages as it is. */
const FOUND = 0.6;

/** A text, and what was found in it when somebody asked. */
interface Text {
  text: string;
  squashed?: string;
  amounts?: Amount[];
}

/** What the model read: texts, which all of its values are looked for in, and the pages they are of. */
export interface Read {
  pages: Page[];
  texts: Text[];
}

/**
 * What the pages say for a value of a model's: the places it names, as far as they hold the value, else one that
 * the value is found at. Undefined for a number, date or identifier that is printed nowhere: it was made up.
 */
export function supportOf(
  { pages, texts }: Read,
  value: Scalar,
  told: FieldEvidence | undefined,
  schema: JsonSchema,
  dateOrder: DateOrder | undefined,
): FieldEvidence | undefined {
  const isPrinted = mustBePrinted(value, schema);
  const cited = verifyCitations(pages, told?.citations ?? []).filter(
    ({ matching_text: text }) => !isPrinted || readingsOf({ text }, value, dateOrder).length > 0,
  );
  if (told && cited.length > 0) return { confidence: told.confidence, citations: cited };
  const own = String(value);
  const printed = isPrinted ? texts.flatMap((text) => readingsOf(text, value, dateOrder)) : [];
  // A single character stands everywhere.
  const places = own.length < 2 ? [] : [...new Set([own, ...printed])].slice(0, 20);
  const [citation] = verifyCitations(
    pages,
    places.map((matching_text) => ({ matching_text })),
  );
  if (citation) return { confidence: FOUND, citations: [citation] };
  return isPrinted && printed.length === 0 ? undefined : { confidence: UNSUPPORTED, citations: [] };
}

const ISO_DATE = /^\d{4}-\d\d-\d\d(?:$|T)/;

/** Whether a value has to stand in the document; a choice, a text or a yes may follow from what stands there. */
function mustBePrinted(
  value: Scalar,
  { enum: options, const: only, format, description }: JsonSchema,
): boolean {
  if (options || only !== undefined || typeof value === 'boolean') return false;
  // "0 when there are none"
  if (value === 0) return !/\b(?:0|zero)\b/i.test(description ?? '');
  if (typeof value === 'number' || ISO_DATE.test(value)) return true;
  return (format === undefined || format === 'email') && /^(?=.*[\d@])\S+$/.test(value);
}

/** The pieces of a text that can be read as the value. */
function readingsOf(from: Text, value: Scalar, dateOrder: DateOrder | undefined): string[] {
  if (typeof value === 'number') return numberReadings(from, value);
  const plain = String(value);
  if (ISO_DATE.test(plain)) {
    const orders: DateOrder[] = dateOrder ? [dateOrder] : ['dmy', 'mdy'];
    const dates = orders.flatMap((order) => findDates(from.text, order));
    return dates.filter((date) => date.value === plain.slice(0, 10)).map((date) => date.text);
  }
  const own = squash(plain);
  from.squashed ??= squash(from.text);
  return own !== '' && from.squashed.includes(own) ? [plain] : [];
}

const squash = (text: string) => text.toLowerCase().replace(/[^\p{L}\p{N}]+/gu, '');

const WORDS = 'zero one two three four five six seven eight nine ten eleven twelve'.split(' ');
const LARGE = /thousand|million|billion|\bmio|\bmln|\bmrd|\bbn\b|\d\s?[kmb]\b|\b000s/i;

function numberReadings(from: Text, value: number): string[] {
  const { text } = from;
  from.amounts ??= [...findAmounts(text, '.'), ...findAmounts(text, ',')];
  const wanted = Math.abs(value);
  const isWanted = (number: number) => Math.abs(Math.abs(number) - wanted) <= wanted * 1e-9;
  const scales = LARGE.test(text) ? [1, 1e3, 1e6, 1e9] : [1];
  const readings = from.amounts.filter(
    (amount) =>
      scales.some((scale) => isWanted(amount.value * scale)) ||
      (amount.percent && isWanted(amount.value / 100)),
  );
  // Inside identifiers and dates, "2026" of "2026-03-04", and in words.
  const digits = String(wanted).replace('.', '[.,]');
  const inside = new RegExp(`(?<![\\d.,])${digits}(?!\\d|[.,]\\d)`).exec(text);
  const word = WORDS[wanted] && new RegExp(`\\b${WORDS[wanted]}\\b`, 'i').exec(text);
  return [
    ...readings.map((amount) => amount.text),
    ...[inside, word].flatMap((match) => (match ? [match[0]] : [])),
  ];
}
