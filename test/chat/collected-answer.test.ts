import { expect, it } from 'vitest';
import { CollectedAnswer } from '#src/api/openai/collected-answer.ts';

it.each([
  ['stop', 'stop'],
  ['length', 'length'],
  // The model's stream was interrupted.
  ['interrupted', 'length'],
] as const)('finish reason %s is reported as %s', (finishReason, told) => {
  const answer = new CollectedAnswer();
  answer.addChunk({ type: 'text-delta', id: '1', delta: 'The ferry ' });
  answer.addChunk({ type: 'finish', finishReason: finishReason as 'stop' });
  expect(answer.finishReason).toBe(told);
});
