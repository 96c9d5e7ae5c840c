import { expect, it } from 'vitest';
import { ToldAnswer } from '#src/api/openai/told-answer.ts';

it.each([
  ['stop', 'stop'],
  ['length', 'length'],
  // The stream of the model broke off.
  ['interrupted', 'length'],
] as const)('an answer that ended with %s is told to have ended with %s', (finishReason, told) => {
  const answer = new ToldAnswer();
  answer.take({ type: 'text-delta', id: '1', delta: 'The ferry ' });
  answer.take({ type: 'finish', finishReason: finishReason as 'stop' });
  expect(answer.finishReason).toBe(told);
});
