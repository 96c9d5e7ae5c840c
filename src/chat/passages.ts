import type { Metadata, StoredChunk } from '#src/ports/index-types.ts';
import { loadTokenizer, TOKEN_PIECES, type Tokenizer } from '#src/tokenizer/tokenizer.ts';

/**
 * Maximum number of tokens of all passages in a prompt. Models with a context of 32,000 tokens then have
 * space for the conversation.
 */
export const PROMPT_TOKENS = 24_000;
/**
 * Minimum number of tokens to which a passage is shortened. If space is still missing, the last passages are
 * left out.
 */
const MIN_PASSAGE_TOKENS = 1_500;
const CUT_MARK = ' […]';

export interface Passages {
  /** Texts of the passages, numbered from 1, in the order of the chunks. */
  texts: string[];
  cut: number[];
  /** Number of chunks at the end of the list that did not fit into the prompt. */
  omitted: number;
}

/**
 * Selects passages for a prompt within a token budget. If not all chunks fit, the first ones are kept. Long
 * chunks are shortened to share the tokens that short chunks leave.
 */
export async function selectPassages(
  chunks: StoredChunk[],
  excludedKeys: readonly string[],
  budget = PROMPT_TOKENS,
): Promise<Passages> {
  const tokenizer = await loadTokenizer();
  const selected: { text: string; tokens: number }[] = [];
  let needed = 0;
  for (const [index, chunk] of chunks.entries()) {
    const whole = formatPassage(chunk, index + 1, excludedKeys);
    const { tokens } = takeTokens(whole, budget + 1, tokenizer);
    needed += Math.min(tokens, MIN_PASSAGE_TOKENS);
    if (needed > budget && selected.length > 0) break;
    selected.push({ text: whole, tokens });
  }
  const share = computeFairShare(
    selected.map(({ tokens }) => tokens),
    budget,
  );
  const cut: number[] = [];
  const texts = selected.map(({ text, tokens }, index) => {
    if (tokens <= share) return text;
    cut.push(index + 1);
    return takeTokens(text, share, tokenizer).text + CUT_MARK;
  });
  return { texts, cut, omitted: chunks.length - texts.length };
}

/** Returns the largest token limit per passage with which all passages fit into the budget. */
function computeFairShare(sizes: number[], budget: number): number {
  let rest = budget;
  for (const [index, size] of sizes.toSorted((a, b) => a - b).entries()) {
    const share = Math.floor(rest / (sizes.length - index));
    if (size > share) return share;
    rest -= size;
  }
  return budget;
}

/**
 * Returns the beginning of a text with at most `most` tokens. The rest is not tokenized, which saves time.
 */
function takeTokens(text: string, most: number, tokenizer: Tokenizer): { text: string; tokens: number } {
  let tokens = 0;
  for (const { 0: piece, index } of text.matchAll(TOKEN_PIECES)) {
    const count = tokenizer.count(piece);
    if (tokens + count > most) return { text: text.slice(0, index), tokens: most };
    tokens += count;
  }
  return { text, tokens };
}

function formatPassage(chunk: StoredChunk, number: number, excludedKeys: readonly string[]): string {
  const known = Object.entries(filterMetadata(chunk.metadata, excludedKeys));
  const header = known.map(([key, value]) => `${key}: ${String(value)}`).join('\n');
  return `[${number}]\n${header}\n${chunk.text}`;
}

/** Metadata keys that contain ids. They are left out of prompts, because ids mean nothing to a model. */
const ID_KEYS = new Set(['file_id', 'document_id', 'pipeline_id', 'data_source_id', 'external_file_id']);

function filterMetadata(metadata: Metadata, excludedKeys: readonly string[]): Metadata {
  const visibleEntries = Object.entries(metadata).filter(
    ([key]) => !ID_KEYS.has(key) && !excludedKeys.includes(key),
  );
  return Object.fromEntries(visibleEntries);
}
