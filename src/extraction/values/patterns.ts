import { type Found, findAll } from './find-all.ts';

// The patterns below take linear time on any text. Each match begins at the start of a run of characters, and
// a run can be divided in only one way.
const EMAIL = /(?<![\w.+%-])[\w.+%-]+@(?:[\w-]+(?:\.[\w-]+)*\.\p{L}{2,24}|localhost\b)/gu;
const URL = /(?:https?:\/\/|www\.)[^\s<>"'()|]+[^\s<>"'()|.,;:]|https?:\/\/[\w.-]+\/?/gi;
const DOMAIN =
  /(?<![@\w.-])(?:[a-z0-9-]{2,}\.)+(?:com|org|net|io|eu|de|nl|fr|pl|be|at|ch|uk|co\.uk|it|es|us|in|info|biz|dev|app|ai)(?:\/[^\s,;)]*)?(?![\w@])/gi;
const PHONE = /(?<![\w+/.,-])\+?\(?\d{1,15}(?!\d)\)?(?:[\s./-]{0,3}\(?\d{1,15}(?!\d)\)?){0,7}(?![\w%€$])/g;
const IBAN = /(?<![A-Z0-9])[A-Z]{2}\d{2}(?:[ ]?[A-Z0-9]{4}){2,7}(?:[ ]?[A-Z0-9]{1,3})?(?![A-Z0-9])/g;
const BIC = /(?<![A-Z0-9])[A-Z]{4}[A-Z]{2}[A-Z0-9]{2}(?:[A-Z0-9]{3})?(?![A-Z0-9])/g;
const VAT_ID =
  /(?<![A-Z0-9])(?:AT ?U|BE ?[01]?|BG|CHE|CY|CZ|DE|DK|EE|EL|ES ?[A-Z0-9]?|FI|FR ?[A-Z0-9]{0,2}|GB|HR|HU|IE|IT|LT|LU|LV|MT|NL|PL|PT|RO|SE|SI|SK|NO|XI) ?[-.]?\d(?:[ .-]?\d){6,11}(?:[A-Z]{1,2}\d{0,2}|B\d{2})?(?![A-Z0-9])/g;
const UUID = /(?<![\w-])[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}(?![\w-])/gi;
// Matches a word, or parts joined by "-", "/", ".", "_" or "#". Only matches that contain a digit are used as
// identifiers.
const IDENTIFIER = /(?<![\p{L}\p{N}])[\p{L}\p{N}](?:[\p{L}\p{N}./_#-]*[\p{L}\p{N}])?(?![\p{L}\p{N}])/gu;
const POSTAL_CODE =
  /(?<![\p{L}\p{N}.,/-])(?:[A-Z]{1,2}-(?=\d{4}))?(?:\d{5}(?:-\d{4})?|\d{4} ?[A-Z]{2}|\d{2}-\d{3}|[A-Z]{1,2}\d[A-Z\d]? ?\d[A-Z]{2}|\d{4}|\d{6})(?![\p{N}.,/-]|\p{L}|%)/gu;

export function findEmails(text: string): Found<string>[] {
  return findAll(text, EMAIL, 1, (match) => match[0]);
}

export function findUrls(text: string): Found<string>[] {
  const whole = findAll(text, URL, 1, (match) => match[0]);
  const bare = findAll(text, DOMAIN, 0.8, (match) => match[0]);
  const covered = new Uint8Array(text.length);
  for (const { start, end } of whole) covered.fill(1, start, end);
  const isFree = ({ start, end }: Found) => covered.subarray(start, end).every((mark) => mark === 0);
  return [...whole, ...bare.filter((item) => isFree(item))];
}

export function findPhones(text: string): Found<string>[] {
  return findAll(text, PHONE, 0.8, (match) => {
    const digits = match[0].replace(/\D/g, '');
    if (digits.length < 6 || digits.length > 15) return undefined;
    // Skips dates, because they match the pattern of telephone numbers.
    if (/^\d{1,2}[./-]\d{1,2}[./-]\d{2,4}$|^\d{4}-\d{2}-\d{2}/.test(match[0])) return undefined;
    return match[0].trim();
  }).map((found) => (/^\d+$/.test(found.value) ? { ...found, quality: 0.5 } : found));
}

/**
 * Checks an IBAN according to ISO 13616: after moving its first four characters to the end, its remainder
 * modulo 97 must be 1.
 */
export function isIban(text: string): boolean {
  const compact = text.replace(/\s/g, '').toUpperCase();
  if (!/^[A-Z]{2}\d{2}[A-Z0-9]{10,30}$/.test(compact)) return false;
  let remainder = 0;
  for (const sign of compact.slice(4) + compact.slice(0, 4)) {
    for (const digit of String(Number.parseInt(sign, 36))) remainder = (remainder * 10 + Number(digit)) % 97;
  }
  return remainder === 1;
}

/**
 * Finds IBANs. An IBAN with wrong check digits is kept with a lower quality, because the document itself may
 * contain the error.
 */
export function findIbans(text: string): Found<string>[] {
  return findAll(text, IBAN, 1, (match) => match[0]).map((item) => {
    return isIban(item.value) ? item : { ...item, quality: 0.7 };
  });
}

export function findBics(text: string): Found<string>[] {
  return findAll(text, BIC, 0.7, (match) => match[0]);
}

export function findVatIds(text: string): Found<string>[] {
  return findAll(text, VAT_ID, 0.95, (match) => match[0]);
}

export function findUuids(text: string): Found<string>[] {
  return findAll(text, UUID, 1, (match) => match[0].toLowerCase());
}

export function findPostalCodes(text: string): Found<string>[] {
  return findAll(text, POSTAL_CODE, 0.8, (match) => match[0].replace(/^[A-Z]{1,2}-(?=\d)/, ''));
}

/**
 * Matches texts such as "12/05/2031". They are usually dates, but some invoice numbers have the same form.
 */
export const DATE_LIKE = /^\d{1,2}\/\d{1,2}\/\d{2,4}$/;

export function findIdentifiers(text: string): Found<string>[] {
  return findAll(text, IDENTIFIER, 0.8, (match) => {
    if (!/\d/.test(match[0])) return undefined;
    if (/^\d{1,2}[.-]\d{1,2}[.-]\d{2,4}$|^\d{4}-\d{2}-\d{2}$/.test(match[0])) return undefined;
    return match[0];
  }).map((found) => (DATE_LIKE.test(found.value) ? { ...found, quality: 0.45 } : found));
}
