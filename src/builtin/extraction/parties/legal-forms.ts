/**
 * Legal forms of companies in Europe, the Americas and Asia, in lower case without dots and slashes. Registers
 * define them, so the list can be complete.
 */
const FORMS = new Set(
  (
    'inc incorporated corp corporation company co ltd limited llc llp lp plc pc na partnership ' +
    'gmbh mbh ag kg kgaa ohg gbr ug ek ev sa sas sasu sarl eurl se bv nv vof srl spa sl slu ' +
    'zoo spj spk ltda lda doo sro kft zrt oy oyj ab as aps asa kk pty pte pvt sdn bhd'
  ).split(' '),
);
/** Forms that are also words or regions if they are printed in capitals without dots. */
const AMBIGUOUS = new Set(['as', 'co', 'na', 'pc', 'se', 'sa', 'ab', 'sl', 'ev', 'ek', 'ug', 'company']);
/** Matches a word with its dots and slashes, such as "S.p.A." or "A/S". */
const WORD = /\p{L}[\p{L}./]*/gu;
/** Matches the blank between two letters with full stops, as in "e. V.". */
const SPACED = /(?<=(?<!\p{L})\p{L}\.) (?=\p{L}\.)/gu;

/** Returns whether a word is the legal form of a company, such as "Ltd." or "L.L.C". */
export const isLegalForm = (word: string): boolean => FORMS.has(word.replace(/[./]/g, '').toLowerCase());

/**
 * Returns whether a text contains the legal form of a company, such as "GmbH" or "Ltd". A form that is also a
 * word counts only at the end of the text, or if it is printed with a full stop.
 */
export function hasLegalForm(text: string): boolean {
  const joined = text.replace(SPACED, '').replace(/z ?o\. ?o\./i, 'zoo');
  const words = [...joined.matchAll(WORD)].map(([word]) => word);
  return words.some((word, index) => {
    const isPrintedAsForm = /\p{Lu}/u.test(word) || /^(?:mbH|plc|zoo|e\.|a\.|d\.|s\.)/.test(word);
    const isLast = index === words.length - 1;
    return isLegalForm(word) && isPrintedAsForm && (isLast || !isAmbiguous(word));
  });
}

const isAmbiguous = (word: string) => AMBIGUOUS.has(word.toLowerCase());

/** Returns whether a text consists only of legal forms, such as "(M) Sdn Bhd", so that it names no company. */
export function isOnlyLegalForm(text: string): boolean {
  const words = text.replace(/\([^()]{0,20}\)/g, ' ').match(WORD) ?? [];
  return words.length > 0 && words.every(isLegalForm);
}
