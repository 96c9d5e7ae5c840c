import { commonWordsOf, detectLanguage } from '#src/lib/text/language.ts';
import { languageOf, resolveLanguage } from '#src/search/languages.ts';
import { words } from '#src/search/words.ts';

/** A question of more characters says itself what it is about. */
const LONGEST_FOLLOW_UP = 200;
/** So few words that tell something are too few to find anything by. */
const FEW_WORDS = 1;
/** With a word that points back, a question that tells this much is still about what was said before. */
const SEVERAL_WORDS = 3;
/** Letters of a question in a script without spaces. */
const FEW_LETTERS = 6;
const MOST_CARRIED = 12;
const MOST_BACK = 3;
const LONGEST_WORD = 64;

/** Conjunctions, and adverbs like them, that begin a question which goes on from the one before. */
const JOINING = setsOf({
  en: 'and or but so then also plus',
  nl: 'en of maar dus dan ook',
  fr: 'et ou mais donc alors aussi puis',
  de: 'und oder aber also dann auch',
  es: 'y e o pero entonces también',
  it: 'e ed o ma allora anche poi',
  pt: 'e ou mas então também',
  pl: 'i a lub ale więc także',
  sv: 'och eller men så då också',
  da: 'og eller men så også',
  no: 'og eller men så også',
  fi: 'ja tai mutta entä entäs myös',
  tr: 've veya ama peki ya',
  ro: 'și sau dar deci atunci',
  cs: 'a nebo ale tak také',
  hu: 'és vagy de akkor',
  ru: 'и а или но тогда также',
  uk: 'і й та а або але тоді також',
  el: 'και ή αλλά',
  ar: 'و أو لكن ثم',
  he: 'אבל או',
  hi: 'और या लेकिन',
});

/**
 * Pronouns that stand for something named before. Those that are articles as well, or the empty subject of "is there",
 * say nothing: a question without more than them is short enough to be known by that.
 */
const POINTING = setsOf({
  en: 'it its he him his she her hers they them their theirs this that these those',
  nl: 'hem hij ze haar hen hun deze dit die ervan daarvan',
  fr: 'elle ils elles lui leur leurs sa ses cela ça celui celle ceux celles cette ces',
  de: 'er sie ihn ihm ihr ihre ihren ihrer sein seine seinen seiner deren dessen dieser diese dieses diesen dort davon darin damit dazu',
  es: 'él ella ellos ellas su sus este esta estos estas ese esa eso esto allí',
  it: 'lui lei loro esso essa essi esse suo sua suoi sue questo questa questi queste quello quella ciò ne',
  pt: 'ele ela eles elas seu sua seus suas dele dela deles delas isto isso este esta esse essa aquele aquela lá',
  pl: 'on ona ono oni jego jej ich ten tego tej tym tam',
  sv: 'han hon dem dess hans hennes deras denna detta dessa',
  da: 'han hun dem dens dets hans hendes deres denne dette disse',
  no: 'han hun dem dens dets hans hennes deres denne dette disse',
  fi: 'sen sitä siitä hän hänen niiden he heidän tämä tuo nämä nuo siellä',
  tr: 'o onu onun ona onlar onları onların bu bunu bunun şu orada',
  ro: 'el ea ei ele lui lor acesta aceasta acestea acela aceea asta acolo',
  cs: 'on ona ono oni jeho její jejich ten ti toho té tam',
  hu: 'ő ezt annak ennek azok ezek ott',
  ru: 'он она оно они его её ее их ему ей им этот эта это эти тот та те там',
  uk: 'він вона воно вони його її їх цей ця це ці той там',
  el: 'αυτό αυτός αυτή αυτά αυτοί',
  ar: 'هو هي هم هذا هذه ذلك تلك',
  he: 'הוא היא הם הן זה זאת אלה שלו שלה',
  hi: 'यह वह ये वे इसका उसका इसके उसके इनका उनका',
});

/** Words that join two questions, in a language and by default in English. */
export const conjunctionsOf = (language = 'en'): ReadonlySet<string> => JOINING.get(language) ?? new Set();

/** The words of a question that tell something. */
export const tellingWords = (question: string): string[] => telling(question, readingOf(question));

const PHRASES =
  /^(?:(?:what|how) about|hoe zit het met|was ist mit|wie (?:steht|sieht) es mit|qu['’]en est-il|che dire d|qué hay d|что насч[её]т|що до)/iu;

/** The same in scripts without spaces, as the beginning of a question. */
const PAIRED_BEGINNING =
  /^(?:それ|その|これ|この|あれ|あの|そこ|ここ|彼|そして|では|じゃあ|でも|また|它|他|她|那|这|這|该|該|其|还有|還有|以及|和|그|이것|저것|그리고|그럼|그러면|하지만|또)/u;
const PAIRED = /[\p{sc=Han}\p{sc=Hiragana}\p{sc=Katakana}\p{sc=Hangul}\p{sc=Thai}]/gu;

/** Each word as it is written, and as the words of a question are read. */
function setsOf(lists: Record<string, string>): Map<string, ReadonlySet<string>> {
  const forms = (word: string) => [word, words(word).join(' ')];
  return new Map(
    Object.entries(lists).map(([code, list]) => [code, new Set(list.split(' ').flatMap(forms))]),
  );
}

/**
 * What to search for when `questions`, all that were asked, the last one just now, are one conversation. A question
 * that is too short to be found by, or that points back, is given the words that told something in those before it.
 */
export function standaloneQuestion(questions: readonly string[]): string {
  const last = questions.at(-1) ?? '';
  const carried: string[] = [];
  for (let at = questions.length - 1; at > 0 && questions.length - at <= MOST_BACK; at -= 1) {
    const [before, question] = [questions[at - 1]!, questions[at]!];
    if (!isFollowUp(question, before)) break;
    for (const each of telling(before, readingOf(before))) carried.push(each);
  }
  const known = new Set(words(last));
  const added = [...new Set(carried)]
    .filter((word) => !words(word).every((each) => known.has(each)))
    .slice(0, MOST_CARRIED);
  return added.length === 0 ? last : `${last} ${added.join(' ')}`;
}

interface Reading {
  joining: ReadonlySet<string> | undefined;
  pointing: ReadonlySet<string> | undefined;
  /** Words that tell nothing. */
  ignored: ReadonlySet<string>;
}

/** Of one short question alone the language may not show; then it is that of the one before. */
function readingOf(question: string, before = ''): Reading {
  const both = `${before.slice(-LONGEST_FOLLOW_UP)}\n${question}`;
  const code = detectLanguage(question) ?? detectLanguage(both) ?? resolveLanguage(undefined, both);
  const joining = JOINING.get(code);
  const pointing = POINTING.get(code);
  const { stopWords } = languageOf(resolveLanguage(code, both));
  const ignored = new Set([...stopWords, ...commonWordsOf(code), ...(joining ?? []), ...(pointing ?? [])]);
  return { joining, pointing, ignored };
}

function isFollowUp(question: string, before: string): boolean {
  const trimmed = question.trim();
  if (trimmed.length > LONGEST_FOLLOW_UP) return false;
  const letters = trimmed.match(PAIRED)?.length ?? 0;
  if (letters > 0) return letters <= FEW_LETTERS || PAIRED_BEGINNING.test(trimmed);
  const reading = readingOf(trimmed, before);
  const { joining, pointing } = reading;
  const told = telling(trimmed, reading).length;
  const all = words(trimmed);
  const [first = ''] = all;
  if (told <= FEW_WORDS || PHRASES.test(trimmed) || joining?.has(first) || pointing?.has(first)) return true;
  return told <= SEVERAL_WORDS && all.some((word) => pointing?.has(word));
}

/** The words that tell something, as they are written; of a script without spaces, whole runs of it. */
function telling(text: string, { ignored }: Reading): string[] {
  const all = text.normalize('NFKC').match(/[\p{L}\p{M}\p{N}]+/gu) ?? [];
  return all.filter((word) => !ignored.has(word.toLowerCase())).map((word) => word.slice(0, LONGEST_WORD));
}
