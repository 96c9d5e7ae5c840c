/** What the prose check looks for. */
export type Rule = 'banned word' | 'long sentence' | 'fragment' | 'abbreviation' | 'name';

export interface Problem {
  rule: Rule;
  /** The sentence, word or name at fault. */
  text: string;
}

/** Maximum number of words of a sentence. */
const MAX_WORDS = 30;

/** Words that puzzle readers, each with the plain ones to use instead. */
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

/** Words with which a comment begins that is no sentence: a relative clause or a reference to something unnamed. */
const FRAGMENT =
  /^(?:What|Whether|Of|Those|That|As|Whose|Who|Whom|Which|None|Nothing|Nobody|Told|Too|So|Else|Beside)\b(?! (?:is|are|it|this|the|as|follows)\b)/;

const NAME = /\b(?:function|const|let|class)\s+([a-z]\w*Of)\b(?=\s*[(=<:])/g;
/** Names of the language and of well-known libraries. */
const KNOWN_NAMES = new Set(['indexOf', 'lastIndexOf', 'valueOf', 'instanceOf']);

/** An abbreviation has at least two capitals and no lower-case letter, except a plural s: PDF, URLs, OAuth is none. */
const ABBREVIATION = /(?<![\w./#@:=-])([A-Z][A-Z0-9]{1,7})s?(?![\w/=-]|\.\w)/g;

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
