import type { Warning } from '#src/lib/schema/effect.ts';
import type { ChatRequest } from './input.ts';

const NOT_FOLLOWED =
  'The built-in answerer only quotes passages and follows no instructions. Configure a language model to use this field.';
const NOT_READ =
  'The built-in answerer only quotes passages from the documents of the pipeline. Configure a language model to use this message.';
const MAX_WARNINGS = 50;

const PARAMETERS = ['system_prompt', 'temperature', 'use_chain_of_thought_reasoning'] as const;
const REASONS: Partial<Record<string, string>> = {
  system: NOT_FOLLOWED,
  developer: NOT_FOLLOWED,
  tool: NOT_READ,
  function: NOT_READ,
};

/** Returns warnings about fields of a chat request that have no effect without a language model. */
export function listBuiltinWarnings({ messages, data }: ChatRequest): Warning[] {
  const parameters = data?.llm_parameters;
  const fields: Warning[] = PARAMETERS.filter((name) => parameters?.[name]).map((name) => ({
    field: `data.llm_parameters.${name}`,
    reason: NOT_FOLLOWED,
  }));
  if (parameters?.use_citation === false) {
    fields.push({ field: 'data.llm_parameters.use_citation', reason: 'The built-in answerer always cites.' });
  }
  for (const [index, { role }] of (messages ?? []).entries()) {
    const reason = REASONS[role];
    if (reason) fields.push({ field: `messages.${index}`, reason });
  }
  return fields.slice(0, MAX_WARNINGS);
}
