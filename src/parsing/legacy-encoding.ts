/** Where a text begins to tell its encoding: enough of it to be sure, at its first byte that is not ASCII. */
const SAMPLE = 64 * 1024;

const HAN =
  '的一是不了人我在有他这這中大来來上国國个個到说說们們为為子和你地出道也时時年得就那要下以生会會自着著去之过過家学學对對可里裡后後' +
  '小么麼心多天而能好都然没沒日于於起还還发發成事只作当當想看文无無开開手用主行方如前所本见見经經面公同已从從动動两兩长長知民样樣现現' +
  '分将將外但与與高意进進法此实實理点點月明其种種全工者部正名定力机機等业業最新因重第市';
const HANGUL =
  '이다는을가에의고하로은지한를도기서사리자나어대시인그아정들해일있수게부라니스전과장보주제으조만상여원구동면적것성';
const han = new RegExp(`[${HAN}]`, 'gu');
const hangul = new RegExp(`[${HANGUL}]`, 'gu');
/** Most of any Japanese text. */
const kana = /[\u3041-\u3096\u30a1-\u30fa]/gu;
/** The letters that make up half of Russian, Bulgarian or Ukrainian text. */
const cyrillic = /[оеаинтср]/giu;

/** Of a text's letters beyond ASCII, the share that a language uses most; read wrongly, a few in a hundred are. */
const EAST_ASIAN = [
  ['shift_jis', kana],
  ['euc-jp', kana],
  ['gb18030', han],
  ['big5', han],
  ['euc-kr', hangul],
] as const;
const ENOUGH = 0.12;
const ENOUGH_CYRILLIC = 0.4;
/** Letters with an accent stand alone among others, Cyrillic ones stand together. */
const TOGETHER = 0.7;

/**
 * The WHATWG label of the encoding that makes sense of bytes that are not UTF-8: East Asian or Cyrillic by the
 * letters that those languages use most, windows-1252 for all else.
 */
export function guessLegacyEncoding(bytes: Uint8Array): string {
  const start = bytes.findIndex((byte) => byte >= 0x80);
  const sample = bytes.subarray(Math.max(0, start), start + SAMPLE);
  let best = { label: 'windows-1252', score: 1 };
  const consider = (label: string, score: number) => {
    if (score > best.score) best = { label, score };
  };
  for (const label of ['windows-1251', 'koi8-r']) {
    const text = decoded(sample, label);
    const together = share(text, /\p{Script=Cyrillic}{2,}/gu);
    if (together >= TOGETHER) consider(label, share(text, cyrillic) / ENOUGH_CYRILLIC);
  }
  for (const [label, common] of EAST_ASIAN) consider(label, share(decoded(sample, label), common) / ENOUGH);
  return best.label;
}

/** Empty where the bytes cannot be in that encoding. The sample may end inside a character. */
function decoded(sample: Uint8Array, label: string): string {
  try {
    return new TextDecoder(label, { fatal: true, ignoreBOM: true }).decode(sample, { stream: true });
  } catch {
    return '';
  }
}

/** Characters that match, as a share of all letters beyond ASCII. */
function share(text: string, pattern: RegExp): number {
  const length = (of: RegExp) => (text.match(of) ?? []).reduce((sum, match) => sum + match.length, 0);
  const letters = length(/[^\P{L}\0-\x7f]/gu);
  return letters === 0 ? 0 : length(pattern) / letters;
}
