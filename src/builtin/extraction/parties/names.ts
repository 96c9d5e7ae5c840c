import { splitWords } from '#src/lib/text/words.ts';
import { findPlace, scoreStreet } from './address-shape.ts';
import { hasLegalForm, isOnlyLegalForm } from './legal-forms.ts';
import { DOCUMENTS } from './name-words.ts';

const SALUTATION =
  /^(?:herrn?|frau|mr|mrs|ms|dr|mme|monsieur|madame|t\.?a\.?v|attn|att|z\.? ?hd|c\/o|de heer|mevrouw|familie|firma)\b\.?:?\s*/i;
/** Matches the end of a label that a number follows, as in "Company Reg. No.". */
const NUMBER_LABEL = /(?<!\p{L})(?:no|nr|reg|id|tel|fax)\.?$/iu;

const CURRENCY_CODE = /^(?:EUR|USD|GBP|CHF|PLN|CAD|AUD|SGD|MYR|INR|JPY|CNY|SEK|NOK|DKK|CZK|HUF)$/;
/** Matches a town with its state, such as `Las Vegas, NV`. */
const TOWN_WITH_REGION = /^\p{Lu}[\p{L}.' -]{1,30},\s{0,2}\p{Lu}{2}$/u;

/** Returns whether a line can be the name of a person or organisation. */
export function canBeName(text: string): boolean {
  const bare = text.replace(SALUTATION, '').trim();
  const words = splitWords(bare);
  if (words.length === 0 || words.length > 8 || bare.length < 2 || /[:@?!=*]|https?:|www\./.test(bare))
    return false;
  // A comma at the end shows that the text goes on, as an address does.
  if (!/\p{L}{2}|\p{L}&\p{L}/u.test(bare) || /,$/.test(bare)) return false;
  if (!/^[\p{Lu}\d„"]|^\p{Ll}+\p{Lu}/u.test(bare) && !hasLegalForm(bare)) return false;
  if (isOnlyLegalForm(bare) || NUMBER_LABEL.test(bare) || CURRENCY_CODE.test(bare)) return false;
  if (TOWN_WITH_REGION.test(bare) && !hasLegalForm(bare)) return false;
  if ((bare.match(/\d/g)?.length ?? 0) > 4 || /\d[.,]\d{2}(?!\d)/.test(bare)) return false;
  if (words.every((word) => DOCUMENTS.has(word) || /^\d+$/.test(word))) return false;
  return !(/\d/.test(bare) && scoreStreet(bare) > 0) && !findPlace(bare);
}

/**
 * Returns a name without the salutation before it, such as "Mrs", and the offset of the name in the text.
 */
export function stripSalutation(text: string): { text: string; offset: number } {
  const offset = SALUTATION.exec(text)?.[0].length ?? 0;
  return { text: text.slice(offset).trim(), offset };
}
