import type { Found } from '#src/extraction/values/found.ts';

/** A capitalised run, and what its form says of it. */
export interface Name extends Found<string> {
  /** 0..1: how much it looks like the full name of a company. */
  legal: number;
  /** The word before it, folded to lower case. */
  before: string;
}

/** Small words that join the parts of one name in the languages we stem, where a capital follows. */
const JOINING = new Set(
  'of the for de la le les du des del della di da do dos das von van der den al el bin ibn zu zur am'.split(
    ' ',
  ),
);
/** Tokens in order; a run is grown over them, so that no part of the text is read twice. */
const TOKEN = /[\p{L}\p{M}\p{N}][\p{L}\p{M}\p{N}'’.&–-]{0,60}|&/gu;
/** A capital among the first three characters, or behind a particle: "Ab", "i-Xy", "2XY", "al-Ab", "dell'Ab". */
const IS_NAME = /^(?:[^\p{Lu}]{0,2}\p{Lu}|(?:\p{Ll}{1,4}['’]|[ae]l-)\p{Lu}|&$)/u;
const GOES_ON = /^(?:[^\p{Lu}]{0,2}\p{Lu}|(?:\p{Ll}{1,4}['’]|[ae]l-)\p{Lu}|&$|\d{1,4}\.?$)/u;
const MOST_WORDS = 12;

/**
 * What the law of some country calls a company, behind its name. General knowledge that running text cannot show;
 * German, French, Dutch, Italian, Spanish, Polish, Nordic and Asian forms beside the English ones.
 */
export const LEGAL_FORM =
  /^(?:inc|incorporated|corp|corporation|co|company|ltd|limited|llc|l\.l\.c|llp|l\.l\.p|lp|l\.p|plc|gmbh|ag|kg|kgaa|ug|ohg|e\.v|se|s\.e|sa|s\.a|sas|s\.a\.s|sarl|s\.a\.r\.l|bv|b\.v|nv|n\.v|srl|s\.r\.l|spa|s\.p\.a|s\.l|sl|sp\.z|oy|ab|as|aps|a\/s|kk|k\.k|pty|pte|bhd|partnership|n\.a)\.?$/i;
const bare = (token: string) => token.replace(/(?<![.'’–-])[.'’–-]+$/u, '');

/** Every capitalised run of a sentence, without the small words of its language that it may begin with. */
export function findNames(text: string, isSmall: (word: string) => boolean): Name[] {
  const tokens = [...text.matchAll(TOKEN)].map((match) => ({
    text: match[0],
    start: match.index,
    end: match.index + match[0].length,
  }));
  const out: Name[] = [];
  let index = 0;
  while (index < tokens.length) {
    const word = bare(tokens[index]!.text);
    if (!IS_NAME.test(word) || isSmall(word)) {
      index++;
      continue;
    }
    const last = endOfRun(text, tokens, index);
    out.push(nameOf(text, tokens, index, last));
    index = last + 1;
  }
  return out;
}

interface Place {
  text: string;
  start: number;
  end: number;
}

function endOfRun(text: string, tokens: Place[], from: number): number {
  let last = from;
  for (let next = from + 1; next < tokens.length && next - from < MOST_WORDS; next++) {
    const between = text.slice(tokens[last]!.end, tokens[next]!.start);
    const word = tokens[next]!.text;
    const joins = next - last === 1 ? /^[ ]$|^$/.test(between) : /^ \S{1,6}(?: \S{1,6})? $/.test(between);
    // "Link Plus, Inc.": a comma before a legal form belongs to the name.
    if (next - last === 1 && /^,? ?$/.test(between) && LEGAL_FORM.test(bare(word)) && /^\p{Lu}/u.test(word)) {
      last = next;
      continue;
    }
    // A full stop ends a name unless it is that of an initial or of a short form.
    if (
      /\.$/.test(tokens[last]!.text) &&
      !/^(?:\p{Lu}|\p{Lu}\p{Ll}{0,2}|St|Mrs?)\.$/u.test(tokens[last]!.text)
    )
      break;
    if (joins && GOES_ON.test(word)) last = next;
    else if (!(joins && JOINING.has(word) && next - last <= 2)) break;
  }
  return last;
}

const ARTICLE = /^(?:the|a|an|der|die|das|dem|den|le|la|les|el|los|las|il|lo|gli|de|het|said)$/i;

/** The word that leads to a name: its preposition or verb, be there an article between. */
function wordBefore(tokens: Place[], from: number): string {
  const last = tokens[from - 1]?.text ?? '';
  return (ARTICLE.test(last) && from > 1 ? tokens[from - 2]!.text : last).toLowerCase();
}

function nameOf(text: string, tokens: Place[], from: number, last: number): Name {
  const start = tokens[from]!.start;
  const inner = tokens.slice(from, last + 1).map((token) => bare(token.text));
  const legal = inner.slice(1).some((word) => LEGAL_FORM.test(word)) ? 1 : 0;
  const raw = tokens[last]!.text;
  const isShortened = /^(?:\p{Lu}?\p{Ll}+|INC|LTD|CORP|CO)\.$/u.test(raw) || /\p{L}\.\p{L}/u.test(raw);
  const keepsStop = (LEGAL_FORM.test(bare(raw)) && isShortened) || /^\p{Lu}\.$/u.test(raw);
  const end = keepsStop ? tokens[last]!.end : tokens[last]!.start + bare(raw).length;
  const value = text.slice(start, end).replace(/[’']s$/u, '');
  const opens = from === 0 && last === 0;
  return {
    value,
    text: value,
    start,
    end: start + value.length,
    // One capital at the start of a sentence is no sign of a name.
    quality: opens ? 0.6 : 1,
    legal,
    before: wordBefore(tokens, from),
  };
}
