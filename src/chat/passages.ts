import type { Metadata, StoredChunk } from '#src/ports/index-types.ts';
import { loadTokenizer, TOKEN_PIECES, type Tokenizer } from '#src/tokenizer/tokenizer.ts';

/** What all passages of a prompt may take: models with a context of 32,000 have room for the conversation too. */
export const PROMPT_TOKENS = 24_000;
/** Rather than less of each passage than this, the last ones are left out. */
const LEAST_OF_EACH = 1_500;
const CUT = ' […]';

export interface Passages {
  /** Numbered from 1, in the order of the chunks. */
  texts: string[];
  /** Numbers of those that are not whole. */
  cut: number[];
  /** Chunks at the end for which there was no room. */
  left: number;
}

/**
 * The chunks as passages of a prompt, within the budget (tokens): all of them if they fit. Else the first of them,
 * of which the long ones, whole files mostly, share what the short ones leave and keep their beginning.
 */
export async function passagesOf(
  chunks: StoredChunk[],
  excludedKeys: readonly string[],
  budget = PROMPT_TOKENS,
): Promise<Passages> {
  const tokenizer = await loadTokenizer();
  const wanted: { text: string; tokens: number }[] = [];
  let needed = 0;
  for (const [index, chunk] of chunks.entries()) {
    const whole = passage(chunk, index + 1, excludedKeys);
    const { tokens } = beginningOf(whole, budget + 1, tokenizer);
    needed += Math.min(tokens, LEAST_OF_EACH);
    if (needed > budget && wanted.length > 0) break;
    wanted.push({ text: whole, tokens });
  }
  const share = fairShare(
    wanted.map(({ tokens }) => tokens),
    budget,
  );
  const cut: number[] = [];
  const texts = wanted.map(({ text, tokens }, index) => {
    if (tokens <= share) return text;
    cut.push(index + 1);
    return beginningOf(text, share, tokenizer).text + CUT;
  });
  return { texts, cut, left: chunks.length - texts.length };
}

/** The most that each may take so that all together stay within the budget. */
function fairShare(sizes: number[], budget: number): number {
  let rest = budget;
  for (const [index, size] of sizes.toSorted((a, b) => a - b).entries()) {
    const share = Math.floor(rest / (sizes.length - index));
    if (size > share) return share;
    rest -= size;
  }
  return budget;
}

/** As much of a text as `most` tokens hold; reads no further. */
function beginningOf(text: string, most: number, tokenizer: Tokenizer): { text: string; tokens: number } {
  let tokens = 0;
  for (const { 0: piece, index } of text.matchAll(TOKEN_PIECES)) {
    const count = tokenizer.count(piece);
    if (tokens + count > most) return { text: text.slice(0, index), tokens: most };
    tokens += count;
  }
  return { text, tokens };
}

function passage(chunk: StoredChunk, number: number, excludedKeys: readonly string[]): string {
  const known = Object.entries(visible(chunk.metadata, excludedKeys));
  const header = known.map(([key, value]) => `${key}: ${String(value)}`).join('\n');
  return `[${number}]\n${header}\n${chunk.text}`;
}

/** Ids mean nothing to a model. */
const IDENTITY = new Set(['file_id', 'document_id', 'pipeline_id', 'data_source_id', 'external_file_id']);

function visible(metadata: Metadata, excludedKeys: readonly string[]): Metadata {
  const kept = Object.entries(metadata).filter(([key]) => !IDENTITY.has(key) && !excludedKeys.includes(key));
  return Object.fromEntries(kept);
}
