import { splitWords } from '#src/lib/text/words.ts';
import { findPlace, scoreStreet } from './address.ts';
import { hasLegalForm } from './legal-form.ts';

const SALUTATION =
  /^(?:herrn?|frau|mr|mrs|ms|dr|mme|monsieur|madame|t\.?a\.?v|attn|att|z\.? ?hd|c\/o|de heer|mevrouw|familie|firma)\b\.?:?\s*/i;
/** Words for kinds of documents, such as "invoice". A heading that contains one of them is not a name. */
const DOCUMENTS = new Set(
  'document paper text letter policy lease invoice receipt statement payslip bill order quote quotation delivery note report minutes contract agreement certificate credit tax rechnung quittung lieferschein angebot gutschrift kontoauszug lohnabrechnung gehaltsabrechnung factuur pakbon bon facture avoir devis recu faktura korekta paragon factura recibo fattura ricevuta account pay slip page copy kopie original duplicate'.split(
    ' ',
  ),
);

/**
 * Returns whether a name denotes a document or a part of it, such as "Service Agreement", "Exhibit A" or
 * "Suite 12". "Larry Page" is a name, unless the document uses the word page as well.
 */
export function isPartOfDocument(name: string, isWritten: (word: string) => boolean = () => false): boolean {
  const words = splitWords(name);
  const last = words.at(-1) ?? '';
  const isCapital = name === name.toUpperCase();
  const isDocument =
    DOCUMENTS.has(last) && (isCapital || isWritten(last) || words.every((word) => DOCUMENTS.has(word)));
  return isDocument || (words.length === 2 && !/[.&]/.test(name) && /^(?:\p{L}|\d+)$/u.test(last));
}

/** Returns whether a line can be the name of a person or organisation. */
export function canBeName(text: string): boolean {
  const bare = text.replace(SALUTATION, '').trim();
  const words = splitWords(bare);
  if (words.length === 0 || words.length > 8 || bare.length < 2 || /[:@?!=*]|https?:|www\./.test(bare))
    return false;
  // A comma at the end shows that the text goes on, as an address does.
  if (!/\p{L}{2}|\p{L}&\p{L}/u.test(bare) || /,$/.test(bare)) return false;
  if (!/^[\p{Lu}\d„"]|^\p{Ll}+\p{Lu}/u.test(bare) && !hasLegalForm(bare)) return false;
  if ((bare.match(/\d/g)?.length ?? 0) > 4 || /\d[.,]\d{2}(?!\d)/.test(bare)) return false;
  if (words.every((word) => DOCUMENTS.has(word) || /^\d+$/.test(word))) return false;
  return !(/\d/.test(bare) && scoreStreet(bare) > 0) && !findPlace(bare);
}

export function stripSalutation(text: string): { text: string; offset: number } {
  const offset = SALUTATION.exec(text)?.[0].length ?? 0;
  return { text: text.slice(offset).trim(), offset };
}
