/** Kinds of problems that the prose check reports. */
export type Rule =
  | 'banned word'
  | 'long sentence'
  | 'fragment'
  | 'abbreviation'
  | 'name'
  | 'former label'
  | 'former word';

export interface Problem {
  rule: Rule;
  /** Sentence, word or name that has the problem. */
  text: string;
}

/** Maximum number of words of a sentence in comments and documentation. */
const MAX_WORDS = 30;

/** Words that puzzle readers, each with a plain replacement. */
const BANNED: readonly (readonly [pattern: RegExp, instead: string])[] = [
  [/\b(?:thereof|therein|thereby|whereof|wherein)\b/i, 'name the thing'],
  [/\banew\b/i, 'again'],
  [/\bheed(?:s|ed)?\b/i, 'follow, consider'],
  [/\balike\b/i, 'the same way, both'],
  [/\brid of\b/i, 'remove, delete'],
  [/\b(?:is|are|was|were) (?:not )?to be\b/i, 'must be, is later'],
  [/\b(?:that|those) of (?:which|what|whom)\b/i, 'name the thing'],
  [/\b(?:so|as) much as\b/i, 'at most, up to'],
  [/\bof (?:its|their) own that\b/i, 'a separate'],
  [/\bon (?:its|their) way\b/i, 'in transit, sent'],
  [/\bas (?:far|soon) as (?:it|they) (?:is|are) told\b/i, 'when it is notified'],
  [/\b(?:is|are|was|were) told\b/i, 'receives, is notified'],
  [/, else\b/i, 'otherwise'],
  [/\bfor good\b/i, 'permanently'],
  [/\bnone other\b/i, 'no other'],
];

/**
 * Matches comments that begin like a fragment: with a relative clause, or with a word that refers to
 * something unnamed.
 */
const FRAGMENT =
  /^(?:What|Of|Those|That|As|Whose|Who|Whom|Which|None|Nothing|Nobody|Told|Too|So|Else|Beside)\b(?! (?:is|are|it|this|the|as|follows)\b)/;

const NAME = /\b(?:function|const|let|class)\s+([a-z]\w*Of)\b(?=\s*[(=<:])/g;
/** Names ending in "Of" that JavaScript or well-known libraries define. */
const KNOWN_NAMES = new Set(['indexOf', 'lastIndexOf', 'valueOf', 'instanceOf', 'oneOf', 'anyOf', 'allOf']);

/** An abbreviation has two to five capitals or digits, and perhaps a plural s: PDF, URLs. Longer words are names of constants. */
const ABBREVIATION = /(?<![\w./#@:=-])([A-Z][A-Z0-9]{1,4})s?(?![\w/=-]|\.\w)/g;

/** Finds what is wrong with the English of a comment or paragraph. Code in backticks is not checked. */
export function checkText(text: string, abbreviations: ReadonlySet<string>, isComment: boolean): Problem[] {
  const prose = text
    .replaceAll(/`[^`]*`/g, 'code')
    .replaceAll(/\s+/g, ' ')
    .trim();
  const problems: Problem[] = [];
  for (const [pattern, instead] of BANNED) {
    const [found] = pattern.exec(prose) ?? [];
    if (found)
      problems.push({ rule: 'banned word', text: `"${found}" (better: ${instead}) in: ${shorten(prose)}` });
  }
  if (isComment && FRAGMENT.test(prose)) problems.push({ rule: 'fragment', text: shorten(prose) });
  for (const sentence of splitSentences(prose)) {
    const { length } = sentence.split(' ');
    if (length > MAX_WORDS)
      problems.push({ rule: 'long sentence', text: `${length} words: ${shorten(sentence)}` });
  }
  for (const [, name] of prose.matchAll(ABBREVIATION)) {
    if (!abbreviations.has(name!)) problems.push({ rule: 'abbreviation', text: name! });
  }
  return problems;
}

/** Finds functions and constants whose name ends in "Of", which says neither what they do nor what they are. */
export function checkNames(code: string): Problem[] {
  return [...code.matchAll(NAME)]
    .filter(([, name]) => !KNOWN_NAMES.has(name!))
    .map(([, name]) => ({ rule: 'name', text: `${name} (name what it does or is)` }));
}

const splitSentences = (prose: string) => prose.split(/(?<=[.!?:;])\s+/);

const shorten = (text: string) => (text.length > 140 ? `${text.slice(0, 137)}...` : text);
