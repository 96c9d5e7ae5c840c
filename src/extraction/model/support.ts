import type { Page } from '#src/documents/document.ts';
import { verifyCitations } from '#src/extraction/citations.ts';
import type { FieldEvidence } from '#src/extraction/evidence.ts';
import type { Scalar } from '#src/extraction/scalars.ts';
import { type DateOrder, findDates } from '#src/extraction/values/dates.ts';
import { type Amount, findAmounts } from '#src/extraction/values/numbers.ts';
import type { JsonSchema } from '#src/json-schema/schema.ts';

/** Confidence of a value without a source that the pages do not contain. */
const UNSUPPORTED = 0.3;
/** Confidence of a value without a source that the pages contain literally. */
const FOUND = 0.6;

/** A text with lazily computed search results. */
interface Text {
  text: string;
  squashed?: string;
  amounts?: Amount[];
}

/** Texts that the model read, and their pages. */
export interface Read {
  pages: Page[];
  texts: Text[];
}

/**
 * Returns the evidence for a model's value: the cited places that contain it, otherwise one where it is
 * found. Undefined for a number, date or identifier that is printed nowhere, because it was invented.
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
  // A single character occurs everywhere.
  const places = own.length < 2 ? [] : [...new Set([own, ...printed])].slice(0, 20);
  const [citation] = verifyCitations(
    pages,
    places.map((matching_text) => ({ matching_text })),
  );
  if (citation) return { confidence: FOUND, citations: [citation] };
  return isPrinted && printed.length === 0 ? undefined : { confidence: UNSUPPORTED, citations: [] };
}

const ISO_DATE = /^\d{4}-\d\d-\d\d(?:$|T)/;

/** Returns whether a value must be printed in the document. Choices, texts and booleans may be inferred. */
function mustBePrinted(
  value: Scalar,
  { enum: options, const: only, format, description }: JsonSchema,
): boolean {
  if (options || only !== undefined || typeof value === 'boolean') return false;
  // Matches descriptions such as "0 when there are none".
  if (value === 0) return !/\b(?:0|zero)\b/i.test(description ?? '');
  if (typeof value === 'number' || ISO_DATE.test(value)) return true;
  return (format === undefined || format === 'email') && /^(?=.*[\d@])\S+$/.test(value);
}

/** Returns the parts of a text that can be read as the value. */
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
  // Also accepts the number within identifiers and dates ("2026" in "2026-03-04") and spelled out as a word.
  const digits = String(wanted).replace('.', '[.,]');
  const inside = new RegExp(`(?<![\\d.,])${digits}(?!\\d|[.,]\\d)`).exec(text);
  const word = WORDS[wanted] && new RegExp(`\\b${WORDS[wanted]}\\b`, 'i').exec(text);
  return [
    ...readings.map((amount) => amount.text),
    ...[inside, word].flatMap((match) => (match ? [match[0]] : [])),
  ];
}
