import type { LanguageModelParameters } from './input.ts';

const GROUNDED = `Answer from the numbered passages below and from nothing else. When they do not hold the answer, say so.`;
const CITED =
  'After each statement cite the passages it rests on by their numbers in brackets, like [1] or [2][3].';
const STEPWISE = 'Think through the passages step by step before you answer.';

/** The system text for one question: the rules, the caller's own prompt, and the numbered passages. */
export function systemPrompt(passages: string[], parameters: LanguageModelParameters): string {
  const rules = [GROUNDED];
  if (parameters.use_citation !== false) rules.push(CITED);
  if (parameters.use_chain_of_thought_reasoning) rules.push(STEPWISE);
  if (parameters.system_prompt) rules.push(parameters.system_prompt);
  return `${rules.join('\n')}\n\n${passages.join('\n\n')}`;
}
