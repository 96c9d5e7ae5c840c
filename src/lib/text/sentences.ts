/**
 * Abbreviations whose full stop does not end a sentence: titles, references and months in the languages that
 * Sluice stems.
 */
const ABBREVIATIONS = new Set(
  (
    'mr mrs ms dr prof sr jr st vs etc al fig figs eq eqs sec no nos vol pp p ed eds cf ca approx dept inc ltd co corp ' +
    'gen col sgt capt lt rev hon gov sen rep jan feb mar apr jun jul aug sep sept oct nov dec e.g i.e a.m p.m u.s ' +
    'bzw z.b d.h u.a usw nr abs art str bzgl ggf inkl evtl vgl m mme mlle av bd env p.ex ' +
    'sra srta dña ud uds pág núm ej bijv o.a d.w.z enz blz ong dhr mevr ' +
    'т.е т.д т.п г гг ул им др см рис стр тыс млн np tzw itd itp m.in ul dr.h'
  ).split(' '),
);

/**
 * Matches the possible end of a sentence: a terminator with its closing quotes, or a blank line. Bounded
 * repetitions keep the search linear.
 */
const END = /[.!?…؟۔।॥።]{1,64}["'”’»)\]]{0,8}|[。！？｡．]{1,64}[”’」』）]{0,8}|\n[^\S\n]{0,64}\n/g;
/** Matches terminators that always end a sentence. Other terminators end it only before white space. */
const STANDALONE_TERMINATOR = /^[。！？｡．\n]/;
const WORD_BEFORE = /[\p{L}\p{N}.]{1,12}$/u;
const CONTINUES = /^\s+[\p{Ll}]/u;

/**
 * Returns the bounds [start, end) of sentences that together cover the text. White space belongs to the
 * sentence before it. Knows abbreviations, initials, decimal points, CJK, Arabic and Indic terminators. Takes
 * linear time.
 */
export function sentenceBounds(text: string): [start: number, end: number][] {
  const bounds: [number, number][] = [];
  let start = 0;
  for (const match of text.matchAll(END)) {
    const stop = match.index + match[0].length;
    if (!STANDALONE_TERMINATOR.test(match[0]) && stop < text.length && !isSpace(text.charCodeAt(stop)))
      continue;
    if (stop <= start || (match[0] === '.' && isInner(text, match.index, stop))) continue;
    let end = stop;
    while (end < text.length && isSpace(text.charCodeAt(end))) end++;
    bounds.push([start, end]);
    start = end;
  }
  if (start < text.length) bounds.push([start, text.length]);
  return bounds;
}

/** Returns the sentences of a text, trimmed and without blank ones. */
export function sentences(text: string): string[] {
  return sentenceBounds(text)
    .map(([start, end]) => text.slice(start, end).trim())
    .filter((sentence) => sentence !== '');
}

function isInner(text: string, dot: number, stop: number): boolean {
  if (CONTINUES.test(text.slice(stop, stop + 8))) return true;
  const word = WORD_BEFORE.exec(text.slice(Math.max(0, dot - 12), dot))?.[0];
  if (!word) return false;
  if (ABBREVIATIONS.has(word.toLowerCase())) return true;
  // The full stop of initials ("J. Smith") and of list numbers at the start of a line ("1. First") ends no
  // sentence.
  if (/^\p{Lu}$/u.test(word)) return true;
  return (
    /^\d{1,3}$/.test(word) &&
    /(?:^|\n)[^\S\n]*$/.test(text.slice(Math.max(0, dot - word.length - 4), dot - word.length))
  );
}

function isSpace(code: number): boolean {
  return code === 32 || (code >= 9 && code <= 13) || code === 0xa0 || code === 0x3000 || code === 0x2028;
}
