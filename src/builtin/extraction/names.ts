import { findEmails, findUrls } from '#src/extraction/values/patterns.ts';
import { largest } from '#src/lib/extremes.ts';
import { squash, wordsOf } from '#src/lib/text/words.ts';
import { placeIn, streetness } from './address.ts';
import { type Context, segmentsOf } from './candidates.ts';
import type { Segment } from './layout.ts';

/** The forms of companies in Europe and North America: registers define them, so the list is closed. */
const LEGAL_FORM =
  /(?<![\p{L}])(?:GmbH(?: ?& ?Co\.?(?: ?KG)?)?|mbH|GMBH|MBH|AG|KG|KGaA|OHG|GbR|UG|e\.? ?K\.?|e\. ?V\.|a\. ?G\.|SE|Inc\.?|LLC|L\.L\.C\.|Ltd\.?|Limited|LLP|PLC|plc|Corp\.?|Corporation|Company|Co\.|B\.?V\.?|N\.?V\.?|V\.?O\.?F\.?|SARL|S\.A\.R\.L\.|SAS|S\.A\.S\.?|SASU|EURL|S\.A\.?|SA|S\.?r\.?l\.?|S\.?p\.?A\.?|S\.?L\.?|Sp\. ?z ?o\. ?o\.?|Sp\.? ?[jk]\.?|AB|A\/S|ApS|Oy|AS)(?![\p{L}])/u;
const NAME_WITH_FORM = new RegExp(
  `\\p{Lu}[\\p{L}\\p{N}&.'’+-]*(?:,? (?:[\\p{Lu}&\\d][\\p{L}\\p{N}&.'’+-]*|and|und|et|en|of|de|i|y|van|von|der|du|la|le)){0,6}?,? ${LEGAL_FORM.source}(?: \\p{Lu}\\p{Ll}+)?`,
  'gu',
);
/** A piece that begins with a name may spell its words in lower case. */
const NAME_AT_START = new RegExp(`^\\p{L}[^,;:@()\\d–|]{1,40}?,? ${LEGAL_FORM.source}(?=$| ?[-–·•●,|])`, 'u');
const SALUTATION =
  /^(?:herrn?|frau|mr|mrs|ms|dr|mme|monsieur|madame|t\.?a\.?v|attn|att|z\.? ?hd|c\/o|de heer|mevrouw|familie|firma)\b\.?:?\s*/i;
/** What documents call themselves: such a heading is no name. */
const DOCUMENTS = new Set(
  'document paper text letter policy lease invoice receipt statement payslip bill order quote quotation delivery note report minutes contract agreement certificate credit tax rechnung quittung lieferschein angebot gutschrift kontoauszug lohnabrechnung gehaltsabrechnung factuur pakbon bon facture avoir devis recu faktura korekta paragon factura recibo fattura ricevuta account pay slip page copy kopie original duplicate'.split(
    ' ',
  ),
);

/**
 * "Service Agreement", "Exhibit A", "Suite 12": what documents and their parts are called is nobody's name. "Larry Page"
 * is one, unless the document speaks of a page as well.
 */
export function isPartOfDocument(name: string, isWritten: (word: string) => boolean = () => false): boolean {
  const words = wordsOf(name);
  const last = words.at(-1) ?? '';
  const isDocument = DOCUMENTS.has(last) && (isWritten(last) || words.every((word) => DOCUMENTS.has(word)));
  return isDocument || (words.length === 2 && !/[.&]/.test(name) && /^(?:\p{L}|\d+)$/u.test(last));
}

/** Whether a line can be the name of a person or organisation. */
export function isName(text: string): boolean {
  const bare = text.replace(SALUTATION, '').trim();
  const words = wordsOf(bare);
  if (words.length === 0 || words.length > 8 || bare.length < 2 || /[:@?!=*]|https?:|www\./.test(bare))
    return false;
  if (!/\p{L}{2}|\p{L}&\p{L}/u.test(bare)) return false;
  if (!/^[\p{Lu}\d„"]|^\p{Ll}+\p{Lu}/u.test(bare) && !LEGAL_FORM.test(bare)) return false;
  if ((bare.match(/\d/g)?.length ?? 0) > 4 || /\d[.,]\d{2}(?!\d)/.test(bare)) return false;
  if (words.every((word) => DOCUMENTS.has(word) || /^\d+$/.test(word))) return false;
  return !(/\d/.test(bare) && streetness(bare) > 0) && !placeIn(bare) && !isSentence(bare);
}

/** Most words in lower case: a slogan or a sentence, unless a legal form ends it. */
function isSentence(text: string): boolean {
  const words = text.split(/\s+/).filter((word) => /\p{L}/u.test(word));
  const small = words.filter((word) => /^\p{Ll}/u.test(word)).length;
  return words.length > 2 && small > words.length / 2 && !LEGAL_FORM.test(text);
}

export function withoutSalutation(text: string): { text: string; offset: number } {
  const offset = SALUTATION.exec(text)?.[0].length ?? 0;
  return { text: text.slice(offset).trim(), offset };
}

export const hasLegalForm = (text: string) => LEGAL_FORM.test(text);

/** Names with a legal form such as GmbH or Inc. in running text. */
export function companyNames({ text }: Segment): { text: string; start: number; end: number }[] {
  const opening = NAME_AT_START.exec(text);
  const matches = opening ? [opening] : [...text.matchAll(NAME_WITH_FORM)];
  return matches.map((match) => ({ text: match[0], start: match.index, end: match.index + match[0].length }));
}

/** How strongly a name belongs to the domains of the document's addresses, 0..1. */
export function domainMatch(name: string, domains: string[]): number {
  const words = wordsOf(name.replace(LEGAL_FORM, ''));
  const whole = words.join('');
  const matches = domains.map((domain) => {
    if (whole.length > 2 && (domain.startsWith(whole) || (domain.length > 3 && whole.includes(domain))))
      return 1;
    const part = words.some(
      (word) => word.length > 3 && (domain.startsWith(word) || (words.length > 1 && domain.includes(word))),
    );
    return part || (words.length > 1 && domain === words.map((word) => word[0]).join('')) ? 0.6 : 0;
  });
  return largest(matches, 0);
}

/** Where anybody may have an address. */
const PUBLIC_MAIL = /^(?:gmail|googlemail|outlook|hotmail|yahoo|gmx|web|icloud|example|localhost)$/;

/** The naming parts of the domains in e-mail and web addresses. */
export function domainsOf(context: Context): string[] {
  const out = new Set<string>();
  for (const segment of segmentsOf(context.pages)) {
    for (const { value } of [...findEmails(segment.text), ...findUrls(segment.text)]) {
      const name = domainOf(value);
      if (name && !PUBLIC_MAIL.test(name)) out.add(name);
    }
  }
  return [...out];
}

/** "shop@www.acme.example" and "https://acme.example/a" give acme. */
export function domainOf(address: string): string | undefined {
  const [host = ''] = address
    .replace(/^.*@/, '')
    .replace(/^https?:\/\//i, '')
    .split('/');
  const labels = host.toLowerCase().split('.').slice(0, -1);
  const name = labels.filter((label) => label !== 'www').at(-1);
  return name && squash(name);
}
