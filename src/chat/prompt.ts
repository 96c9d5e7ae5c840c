import type { LanguageModelParameters } from './input.ts';

const GROUNDED = `Answer from the numbered passages below and from nothing else. When they do not hold the answer, say so.`;
const CITED =
  'After each statement cite the passages it rests on by their numbers in brackets, like [1] or [2][3].';
const UNCITED = 'Write no numbers of passages in brackets.';
const STEPWISE = 'Think through the passages step by step before you answer.';

const NOT_FOUND =
  'No passage was found for the question. Say that the documents do not answer it, and cite nothing.';
const DOUBTFUL =
  'None of the passages seems to answer the question. Unless one of them does, say that the documents do not answer it, and cite nothing.';

/**
 * The system text for one question: the rules, the caller's own prompt, and the numbered passages. `isRelevant`:
 * whether one of them seems to answer.
 */
export function systemPrompt(
  passages: string[],
  parameters: LanguageModelParameters,
  isRelevant: boolean,
): string {
  const rules = [GROUNDED];
  if (passages.length === 0) rules.push(NOT_FOUND);
  else if (!isRelevant) rules.push(DOUBTFUL);
  rules.push(parameters.use_citation === false ? UNCITED : CITED);
  if (parameters.use_chain_of_thought_reasoning) rules.push(STEPWISE);
  if (parameters.system_prompt) rules.push(parameters.system_prompt);
  return `${rules.join('\n')}\n\n${passages.join('\n\n')}`;
}
