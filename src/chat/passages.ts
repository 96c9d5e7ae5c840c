import type { Metadata, StoredChunk } from '#src/ports/index-types.ts';
import { loadTokenizer, TOKEN_PIECES, type Tokenizer } from '#src/tokenizer/tokenizer.ts';

/**
 * Token budget for all passages of a prompt. Models with a context of 32,000 tokens then have room for the
 * conversation.
 */
export const PROMPT_TOKENS = 24_000;
/** Minimum tokens per passage. Passages at the end are left out rather than cut below this. */
const LEAST_OF_EACH = 1_500;
const CUT = ' […]';

export interface Passages {
  /** Passages in the order of the chunks, numbered from 1. */
  texts: string[];
  /** Numbers of passages that were cut. */
  cut: number[];
  /** Number of chunks at the end that did not fit. */
  left: number;
}

/**
 * Selects passages of a prompt within a token budget: all chunks if they fit. Otherwise it takes the first
 * chunks, and long ones (usually whole files) share the tokens that short ones leave, keeping their
 * beginning.
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

/** Returns the largest number of tokens per passage with which all passages fit the budget. */
function fairShare(sizes: number[], budget: number): number {
  let rest = budget;
  for (const [index, size] of sizes.toSorted((a, b) => a - b).entries()) {
    const share = Math.floor(rest / (sizes.length - index));
    if (size > share) return share;
    rest -= size;
  }
  return budget;
}

/** Returns the beginning of a text with at most `most` tokens, and does not tokenize the rest. */
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

/** Ids carry no meaning for a model. */
const IDENTITY = new Set(['file_id', 'document_id', 'pipeline_id', 'data_source_id', 'external_file_id']);

function visible(metadata: Metadata, excludedKeys: readonly string[]): Metadata {
  const kept = Object.entries(metadata).filter(([key]) => !IDENTITY.has(key) && !excludedKeys.includes(key));
  return Object.fromEntries(kept);
}
