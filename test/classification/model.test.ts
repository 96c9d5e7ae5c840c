import { expect, it } from 'vitest';
import { classifyWithModel } from '#src/classification/model.ts';
import { textPage } from '#test/extraction/pages.ts';
import { modelSaying } from '#test/support/fake-model.ts';

const RULES = [
  { type: 'invoice', description: 'A bill that asks for payment.' },
  { type: 'Offer', description: 'A price that is offered.' },
  { type: 'offer', description: 'Something that is offered for nothing.' },
];

const classify = (type: string | null) => {
  const answer = { type, confidence: 0.95, quote: 'total due', reasoning: 'It asks for money.' };
  const { signal } = new AbortController();
  return classifyWithModel(modelSaying(answer), RULES, { pages: [textPage('The total due')] }, signal);
};

it('accepts a type in any spelling and prefers an exact match', async () => {
  expect(await classify(' Invoice')).toMatchObject({ type: 'invoice', confidence: 0.95 });
  expect((await classify('offer')).type).toBe('offer');
  expect((await classify('OFFER')).type).toBe('Offer');
});

it('has low confidence if the model names an unknown type, but not if it answers that none fits', async () => {
  expect(await classify('receipt')).toMatchObject({ type: null, confidence: 0.3 });
  expect(await classify(null)).toMatchObject({ type: null, confidence: 0.95 });
  expect(await classify('None')).toMatchObject({ type: null, confidence: 0.95 });
});
