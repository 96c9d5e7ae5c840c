import { loadTokenizer } from '#src/tokenizer/tokenizer.ts';

export interface CallLimits {
  texts: number;
  /** Of all texts of a call together, where the provider counts them. */
  tokens?: number | undefined;
}

const encoder = new TextEncoder();

/**
 * No fewer tokens than a text has. Byte-pair tokens are a byte long or longer, so a text of few bytes needs no count,
 * and no vocabulary. Providers' tokenizers differ; this one is an approximation of them.
 */
async function tokensAtMost(text: string, unimportant: number): Promise<number> {
  const bytes = text.length * 3 <= unimportant ? text.length * 3 : encoder.encode(text).length;
  return bytes <= unimportant ? bytes : (await loadTokenizer()).count(text);
}

/** The texts in order, as `[from, to)` of each call. A text that is too long for any call has one of its own. */
export async function callsFor(texts: readonly string[], limits: CallLimits): Promise<[number, number][]> {
  const { tokens: most } = limits;
  const calls: [number, number][] = [];
  let [from, tokens] = [0, 0];
  for (const [at, text] of texts.entries()) {
    const own = most === undefined ? 0 : await tokensAtMost(text, most / limits.texts);
    if (at > from && (at - from === limits.texts || (most !== undefined && tokens + own > most))) {
      calls.push([from, at]);
      [from, tokens] = [at, 0];
    }
    tokens += own;
  }
  if (texts.length > from) calls.push([from, texts.length]);
  return calls;
}

/** The most of one text; what is absent is not counted. */
export interface InputLimits {
  tokens?: number | undefined;
  /** UTF-16 units. */
  units?: number | undefined;
}

/** The texts as a model takes them that reads so much of each, and how many of them lost their end. */
export async function cutToInput(texts: readonly string[], { tokens, units }: InputLimits) {
  let cut = 0;
  const fitting: string[] = [];
  for (const text of texts) {
    let start = units !== undefined && text.length > units ? startOf(text, units) : text;
    if (tokens !== undefined && (await tokensAtMost(start, tokens)) > tokens) {
      start = (await loadTokenizer()).start(start, tokens);
    }
    if (start.length < text.length) cut += 1;
    fitting.push(start);
  }
  return { texts: fitting, cut };
}

/** No half of a character is left at the end. */
const startOf = (text: string, units: number) => text.slice(0, units).replace(/[\uD800-\uDBFF]$/, '');
