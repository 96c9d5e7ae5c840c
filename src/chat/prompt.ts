import type { Metadata, StoredChunk } from '../search/types.ts';
import type { LanguageModelParameters } from './input.ts';

const GROUNDED = `Answer from the numbered passages below and from nothing else. When they do not hold the answer, say so.`;
const CITED =
  'After each statement cite the passages it rests on by their numbers in brackets, like [1] or [2][3].';
const STEPWISE = 'Think through the passages step by step before you answer.';

/** The system text for one question: the rules, the caller's own prompt, and the passages, numbered from 1. */
export function systemPrompt(
  chunks: StoredChunk[],
  parameters: LanguageModelParameters,
  excludedKeys: readonly string[],
): string {
  const rules = [GROUNDED];
  if (parameters.use_citation !== false) rules.push(CITED);
  if (parameters.use_chain_of_thought_reasoning) rules.push(STEPWISE);
  if (parameters.system_prompt) rules.push(parameters.system_prompt);
  const passages = chunks.map((chunk, index) => passage(chunk, index + 1, excludedKeys));
  return `${rules.join('\n')}\n\n${passages.join('\n\n')}`;
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
