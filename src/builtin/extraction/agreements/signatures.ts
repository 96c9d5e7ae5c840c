import type { Page } from '#src/documents/document.ts';
import type { Candidate } from '../evidence.ts';
import { hasLegalForm } from '../parties/legal-forms.ts';
import { canBeName, stripSalutation } from '../parties/names.ts';

/** Matches the line of a signature: a representative's, or a person's own. */
const REPRESENTATIVE = /^(?:by|per|durch|par|por|per conto|door)\s?:/iu;
const OWN = /\/s\/\s?/;
/** Matches a printed name beside a label, as in "Employee: Ann Lee". */
const LABEL_BEFORE = /^[\p{L}’' ]{2,30}:\s?/u;
/** Maximum number of lines between the name of a party and the line where its representative signs. */
const MAX_DISTANCE = 2;
/** Matches the line below a signature that gives the office of a person who signs for a company. */
const OFFICE = /^(?:title|its|position|office|funktion|titel|fonction|qualité|cargo|carica|functie)\s?:/iu;
/** Maximum number of lines between a signature and the office of the person. */
const MAX_OFFICE_DISTANCE = 6;
const MAX_LINES = 4_000;
const MAX_NAME_LENGTH = 80;

interface Line {
  page: number;
  text: string;
}

/**
 * Returns the parties that signed a document. A company stands above the line where its representative signs
 * ("By:"). A person signs without a representative.
 */
export function findSignatories(pages: readonly Page[]): Candidate[] {
  const lines = listLines(pages);
  return lines.flatMap((line, index): Candidate[] => {
    if (REPRESENTATIVE.test(line.text)) {
      const above = lines.slice(Math.max(0, index - MAX_DISTANCE), index).reverse();
      const name = above.find(({ text }) => isCompanyLine(text));
      return name ? [toCandidate(name, cleanName(name.text))] : [];
    }
    const signed = OWN.exec(line.text);
    if (!signed || REPRESENTATIVE.test(lines[index - 1]?.text ?? '')) return [];
    const company = lines
      .slice(Math.max(0, index - MAX_DISTANCE), index)
      .findLast(({ text }) => hasLegalForm(cleanName(text)) && isCompanyLine(text));
    if (company && signed.index === 0) return [toCandidate(company, cleanName(company.text))];
    const own = line.text.slice(signed.index + signed[0].length);
    const below = lines.slice(index + 1, index + 1 + MAX_OFFICE_DISTANCE);
    if (below.some(({ text }) => OFFICE.test(text))) return [];
    const before = line.text.slice(0, signed.index).replace(LABEL_BEFORE, '').trim();
    return before === '' && isPerson(own) ? [toCandidate(line, own.trim())] : [];
  });
}

/** Returns the lines of all pages. Cells beside each other are lines of their own. */
const listLines = (pages: readonly Page[]): Line[] =>
  pages
    .flatMap(({ text, index }) => text.split(/[\n\t]/).map((line) => ({ page: index, text: line.trim() })))
    .filter(({ text }) => text !== '')
    .slice(-MAX_LINES);

const cleanName = (text: string) => stripSalutation(text.replace(/[:;,]$/, '').replace(FOR, '')).text;
/** Matches the word before the company for which a person signs. */
const FOR = /^(?:for|für|pour|por|per|voor)\s(?=\p{Lu})/iu;

/** Returns whether a line names a company: by its legal form, or because all of its words are capitals. */
function isCompanyLine(text: string): boolean {
  const name = cleanName(text);
  if (name.length > MAX_NAME_LENGTH || !canBeName(name)) return false;
  return hasLegalForm(name) || (name === name.toUpperCase() && /\p{Lu}{3}/u.test(name) && /\s/.test(name));
}

/** Returns whether a text is the name of a person: two to five capitalised words. */
const isPerson = (text: string) =>
  text.length <= MAX_NAME_LENGTH &&
  /^\s*\p{Lu}[\p{L}.'’-]*(?:\s\p{Lu}[\p{L}.,'’-]*){1,4}\s*$/u.test(text) &&
  !hasLegalForm(text);

const toCandidate = ({ page }: Line, name: string): Candidate => ({
  value: name,
  spans: [{ page, text: name }],
  features: { party: 1, name: hasLegalForm(name) ? 1 : 0.5, type: 1 },
});
