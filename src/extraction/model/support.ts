import type { Page } from '#src/documents/document.ts';
import { verifyCitations } from '#src/extraction/citations.ts';
import type { FieldEvidence } from '#src/extraction/evidence.ts';
import type { Scalar } from '#src/extraction/scalars.ts';
import { type DateOrder, findDates } from '#src/extraction/values/dates.ts';
import { type Amount, findAmounts } from '#src/extraction/values/numbers.ts';
import type { JsonSchema } from '#src/json-schema/schema.ts';

/**
 * Confidence, from 0 to 1, of a value that the model cited no valid place for and that is not found on the
 * pages.
 */
const UNSUPPORTED_CONFIDENCE = 0.3;
/**
 * Confidence, from 0 to 1, of a value that the model cited no valid place for but that is found on the pages.
 */
const FOUND_CONFIDENCE = 0.6;

/** Text in which values are searched. Derived forms of the text are computed on first use. */
interface SearchedText {
  text: string;
  squashed?: string;
  amounts?: Amount[];
}

/** Pages that the model read, and the texts in which it received them. */
export interface ReadChunk {
  pages: Page[];
  texts: SearchedText[];
}

/**
 * Returns the evidence for a model's value: the cited places that contain the value, or otherwise a place
 * where it is found. Returns `undefined` for a number, date or identifier that is printed nowhere, because
 * the model must have invented it.
 */
export function findSupport(
  { pages, texts }: ReadChunk,
  value: Scalar,
  modelEvidence: FieldEvidence | undefined,
  schema: JsonSchema,
  dateOrder: DateOrder | undefined,
): FieldEvidence | undefined {
  const isPrinted = mustBePrinted(value, schema);
  const cited = verifyCitations(pages, modelEvidence?.citations ?? []).filter(
    ({ matching_text: text }) => !isPrinted || findReadings({ text }, value, dateOrder).length > 0,
  );
  if (modelEvidence && cited.length > 0) return { confidence: modelEvidence.confidence, citations: cited };
  const printedValue = String(value);
  const printed = isPrinted ? texts.flatMap((text) => findReadings(text, value, dateOrder)) : [];
  // A single character occurs on almost every page, so finding it proves nothing.
  const places = printedValue.length < 2 ? [] : [...new Set([printedValue, ...printed])].slice(0, 20);
  const [citation] = verifyCitations(
    pages,
    places.map((matching_text) => ({ matching_text })),
  );
  if (citation) return { confidence: FOUND_CONFIDENCE, citations: [citation] };
  return isPrinted && printed.length === 0
    ? undefined
    : { confidence: UNSUPPORTED_CONFIDENCE, citations: [] };
}

const ISO_DATE = /^\d{4}-\d\d-\d\d(?:$|T)/;

/**
 * Returns whether a value is plausible only if the document prints it. Enum options, prose and booleans may
 * be inferred instead.
 */
function mustBePrinted(
  value: Scalar,
  { enum: options, const: only, format, description }: JsonSchema,
): boolean {
  if (options || only !== undefined || typeof value === 'boolean') return false;
  // If the field's description mentions zero, such as "0 when there are none", a zero need not be printed.
  if (value === 0) return !/\b(?:0|zero)\b/i.test(description ?? '');
  if (typeof value === 'number' || ISO_DATE.test(value)) return true;
  return (format === undefined || format === 'email') && /^(?=.*[\d@])\S+$/.test(value);
}

/** Returns the passages of a text that can be read as the value, for example a date in another format. */
function findReadings(from: SearchedText, value: Scalar, dateOrder: DateOrder | undefined): string[] {
  if (typeof value === 'number') return findNumberReadings(from, value);
  const plain = String(value);
  if (ISO_DATE.test(plain)) {
    const orders: DateOrder[] = dateOrder ? [dateOrder] : ['dmy', 'mdy'];
    const dates = orders.flatMap((order) => findDates(from.text, order));
    return dates.filter((date) => date.value === plain.slice(0, 10)).map((date) => date.text);
  }
  const printedValue = keepLettersAndDigits(plain);
  from.squashed ??= keepLettersAndDigits(from.text);
  return printedValue !== '' && from.squashed.includes(printedValue) ? [plain] : [];
}

const keepLettersAndDigits = (text: string) => text.toLowerCase().replace(/[^\p{L}\p{N}]+/gu, '');

const WORDS = 'zero one two three four five six seven eight nine ten eleven twelve'.split(' ');
const LARGE = /thousand|million|billion|\bmio|\bmln|\bmrd|\bbn\b|\d\s?[kmb]\b|\b000s/i;

function findNumberReadings(from: SearchedText, value: number): string[] {
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
  // A number also counts as found inside an identifier or date, such as "2026" in "2026-03-04", or spelled as
  // a word.
  const digits = String(wanted).replace('.', '[.,]');
  const inside = new RegExp(`(?<![\\d.,])${digits}(?!\\d|[.,]\\d)`).exec(text);
  const word = WORDS[wanted] && new RegExp(`\\b${WORDS[wanted]}\\b`, 'i').exec(text);
  return [
    ...readings.map((amount) => amount.text),
    ...[inside, word].flatMap((match) => (match ? [match[0]] : [])),
  ];
}
