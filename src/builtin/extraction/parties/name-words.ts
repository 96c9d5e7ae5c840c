import { splitWords } from '#src/lib/text/words.ts';

/** Words for kinds of documents, such as "invoice". A heading that contains one of them is not a name. */
export const DOCUMENTS = new Set(
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
  if (/^(?:ex|exhibit|annex|schedule|appendix|anlage|annexe|anexo|allegato|bijlage)[- ]?\d/i.test(name))
    return true;
  return isDocument || (words.length === 2 && !/[.&]/.test(name) && /^(?:\p{L}|\d+)$/u.test(last));
}
