import type { ChunkableDocument, ChunkTools } from '#src/ingest/chunking/chunker.ts';
import { type TransformConfig, transformConfig } from '#src/ingest/chunking/transform-config.ts';
import { loadTokenizer } from '#src/tokenizer/tokenizer.ts';

const { count } = await loadTokenizer();

/** Embeds texts so that shared words make them similar, which suffices for the semantic chunker. */
function bagOfWords(text: string): Float32Array {
  const vector = new Float32Array(64);
  for (const word of text.toLowerCase().match(/\p{L}+/gu) ?? []) {
    let hash = 7;
    for (const char of word) hash = (hash * 31 + char.codePointAt(0)!) >>> 0;
    vector[hash % 64]! += 1;
  }
  return vector;
}

export const tools: ChunkTools = {
  countTokens: count,
  async embed(texts) {
    return texts.map(bagOfWords);
  },
  async pause() {},
};

export function plain(text: string): ChunkableDocument {
  return { text, pageStarts: [], pages: [] };
}

export function paged(texts: string[], separator = '\n---\n'): ChunkableDocument {
  const pageStarts: number[] = [];
  let text = '';
  for (const [index, page] of texts.entries()) {
    pageStarts.push(text.length);
    text += page + (index < texts.length - 1 ? separator : '');
  }
  return { text, pageStarts, pages: [] };
}

export function configured(input: unknown): TransformConfig {
  return transformConfig.parse(input);
}
