import { loadTokenizer } from '#src/ingest/chunking/tokenizer.ts';

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

/** The texts as a model takes them that reads `most` tokens of each, and how many of them lost their end. */
export async function cutToInput(texts: readonly string[], most: number) {
  let cut = 0;
  const fitting: string[] = [];
  for (const text of texts) {
    const isLong = (await tokensAtMost(text, most)) > most;
    if (isLong) cut += 1;
    fitting.push(isLong ? (await loadTokenizer()).start(text, most) : text);
  }
  return { texts: fitting, cut };
}
