import type { Warning } from '#src/lib/schema/effect.ts';
import type { ChatRequest } from './input.ts';

const REASON = 'The built-in answerer quotes passages and follows no instructions; a language model would.';
const UNREAD =
  'The built-in answerer quotes passages of the pipeline’s documents only; a language model would read it.';
const MOST_WARNINGS = 50;

const PARAMETERS = ['system_prompt', 'temperature', 'use_chain_of_thought_reasoning'] as const;
const REASONS: Partial<Record<string, string>> = {
  system: REASON,
  developer: REASON,
  tool: UNREAD,
  function: UNREAD,
};

/** What of a chat changes nothing where no language model is configured. */
export function notFollowed({ messages, data }: ChatRequest): Warning[] {
  const parameters = data?.llm_parameters;
  const fields: Warning[] = PARAMETERS.filter((name) => parameters?.[name]).map((name) => ({
    field: `data.llm_parameters.${name}`,
    reason: REASON,
  }));
  if (parameters?.use_citation === false) {
    fields.push({ field: 'data.llm_parameters.use_citation', reason: 'The built-in answerer always cites.' });
  }
  for (const [index, { role }] of (messages ?? []).entries()) {
    const reason = REASONS[role];
    if (reason) fields.push({ field: `messages.${index}`, reason });
  }
  return fields.slice(0, MOST_WARNINGS);
}
