/** The Porter2 ("English") stemmer, after its published description at snowballstem.org. */

const VOWEL = '[aeiouy]';
const REGION = new RegExp(`${VOWEL}[^aeiouy](.*)$`);
const DOUBLE = /(bb|dd|ff|gg|mm|nn|pp|rr|tt)$/;
const SHORT_SYLLABLE = /(^[aeiouy][^aeiouy]|[^aeiouy][aeiouy][^aeiouywxY])$/;
const HAS_VOWEL = /[aeiouy]/;

const EXCEPTIONS: Record<string, string> = {
  skis: 'ski',
  skies: 'sky',
  dying: 'die',
  lying: 'lie',
  tying: 'tie',
  idly: 'idl',
  gently: 'gentl',
  ugly: 'ugli',
  early: 'earli',
  only: 'onli',
  singly: 'singl',
  sky: 'sky',
  news: 'news',
  howe: 'howe',
  atlas: 'atlas',
  cosmos: 'cosmos',
  bias: 'bias',
  andes: 'andes',
};
const EXCEPTIONS_AFTER_PLURAL = /^(inning|outing|canning|herring|earring|proceed|exceed|succeed)$/;

const STEP_2: [suffix: string, replacement: string, after?: RegExp][] = [
  ['ization', 'ize'],
  ['ational', 'ate'],
  ['fulness', 'ful'],
  ['ousness', 'ous'],
  ['iveness', 'ive'],
  ['tional', 'tion'],
  ['biliti', 'ble'],
  ['lessli', 'less'],
  ['entli', 'ent'],
  ['ation', 'ate'],
  ['alism', 'al'],
  ['aliti', 'al'],
  ['ousli', 'ous'],
  ['iviti', 'ive'],
  ['fulli', 'ful'],
  ['enci', 'ence'],
  ['anci', 'ance'],
  ['abli', 'able'],
  ['izer', 'ize'],
  ['ator', 'ate'],
  ['alli', 'al'],
  ['bli', 'ble'],
  ['ogi', 'og', /l$/],
  ['li', '', /[cdeghkmnrt]$/],
];

const STEP_3: [suffix: string, replacement: string][] = [
  ['ational', 'ate'],
  ['tional', 'tion'],
  ['alize', 'al'],
  ['icate', 'ic'],
  ['iciti', 'ic'],
  ['ative', ''],
  ['ical', 'ic'],
  ['ness', ''],
  ['ful', ''],
];

const STEP_4 = /(ement|ance|ence|able|ible|ment|ant|ent|ism|ate|iti|ous|ive|ize|ion|al|er|ic)$/;

/** Where the part begins that a suffix must lie in: after the first consonant that follows a vowel. */
function regionAfter(word: string, from: number): number {
  const match = REGION.exec(word.slice(from));
  return match === null ? word.length : word.length - match[1]!.length;
}

/** `word`: lower case, without apostrophes. */
export function stemEnglish(word: string): string {
  if (word.length < 3 || !/^[a-z]+$/.test(word)) return word;
  if (Object.hasOwn(EXCEPTIONS, word)) return EXCEPTIONS[word]!;
  // A y that stands for a consonant is written Y until the end.
  let stem = word.replace(/^y/, 'Y').replace(/([aeiouy])y/g, '$1Y');
  const prefix = /^(gener|commun|arsen)/.exec(stem);
  const r1 = prefix === null ? regionAfter(stem, 0) : prefix[0].length;
  const r2 = regionAfter(stem, r1);

  stem = plural(stem);
  if (EXCEPTIONS_AFTER_PLURAL.test(stem)) return stem;
  stem = participle(stem, r1);
  if (stem.length > 2) stem = stem.replace(/([^aeiouy])[yY]$/, '$1i');
  stem = replaceFirst(stem, r1, STEP_2);
  stem = derivation(stem, r1, r2);
  const residual = STEP_4.exec(stem);
  if (residual !== null && residual.index >= r2) {
    const base = stem.slice(0, residual.index);
    if (residual[0] !== 'ion' || /[st]$/.test(base)) stem = base;
  }
  if (stem.endsWith('e')) {
    const base = stem.slice(0, -1);
    if (base.length >= r2 || (base.length >= r1 && !SHORT_SYLLABLE.test(base))) stem = base;
  } else if (stem.endsWith('ll') && stem.length - 1 >= r2) {
    stem = stem.slice(0, -1);
  }
  return stem.toLowerCase();
}

function plural(stem: string): string {
  if (stem.endsWith('sses')) return stem.slice(0, -2);
  if (/(ied|ies)$/.test(stem)) return stem.slice(0, stem.length > 4 ? -2 : -1);
  if (/(us|ss)$/.test(stem)) return stem;
  return stem.endsWith('s') && HAS_VOWEL.test(stem.slice(0, -2)) ? stem.slice(0, -1) : stem;
}

function participle(stem: string, r1: number): string {
  const agreed = /(eedly|eed)$/.exec(stem);
  if (agreed !== null) return agreed.index >= r1 ? `${stem.slice(0, agreed.index)}ee` : stem;
  const suffix = /(ingly|edly|ing|ed)$/.exec(stem);
  if (suffix === null) return stem;
  const base = stem.slice(0, suffix.index);
  if (!HAS_VOWEL.test(base)) return stem;
  if (/(at|bl|iz)$/.test(base)) return `${base}e`;
  if (DOUBLE.test(base)) return base.slice(0, -1);
  return r1 >= base.length && SHORT_SYLLABLE.test(base) ? `${base}e` : base;
}

function replaceFirst(stem: string, region: number, rules: [string, string, RegExp?][]): string {
  const rule = rules.find(([suffix]) => stem.endsWith(suffix));
  if (rule === undefined) return stem;
  const [suffix, replacement, after] = rule;
  const base = stem.slice(0, -suffix.length);
  if (base.length < region || (after !== undefined && !after.test(base))) return stem;
  return base + replacement;
}

function derivation(stem: string, r1: number, r2: number): string {
  return replaceFirst(stem, stem.endsWith('ative') ? r2 : r1, STEP_3);
}
