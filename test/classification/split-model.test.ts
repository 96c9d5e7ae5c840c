import { expect, it } from 'vitest';
import { applySplitDefaults } from '#src/classification/splitting/configuration.ts';
import { samplePage, scorePagesWithModel } from '#src/classification/splitting/model.ts';
import { type ModelRequest, modelReplying, modelSaying } from '#test/support/fake-model.ts';

const configuration = applySplitDefaults({
  categories: [{ name: 'invoice', description: 'Asks for payment.' }, { name: 'letter' }],
  splitting_strategy: { custom_instructions: 'A cover sheet belongs to the letter after it.' },
});
const pages = [1, 2, 3].map((page) => ({ page, text: `text of page ${page}` }));
const options = { signal: new AbortController().signal, onWindow: () => Promise.resolve() };

it('takes only answers for pages and categories that exist, and the first one of each page', async () => {
  const answer = {
    pages: [
      { page: 1, category: 'invoice', starts_document: true, confidence: 0.9 },
      { page: 1, category: 'letter', starts_document: true, confidence: 1 },
      { page: 2, category: 'poem', starts_document: true, confidence: 1 },
      { page: 99, category: 'letter', starts_document: true, confidence: 1 },
    ],
  };
  const evidence = await scorePagesWithModel(modelSaying(answer), configuration, pages, options);
  expect(evidence.map(({ page, startsDocument }) => [page, startsDocument])).toEqual([
    [1, true],
    [2, false],
    [3, false],
  ]);
  expect(evidence[0]!.probabilities).toEqual([0.9, expect.closeTo(0.05), expect.closeTo(0.05)]);
  for (const { probabilities } of evidence.slice(1)) expect(new Set(probabilities).size).toBe(1);
});

it('asks about windows of pages, and says what came before each window', async () => {
  const requests: ModelRequest[] = [];
  const answer = { pages: [{ page: 40, category: 'letter', starts_document: false, confidence: 0.9 }] };
  const many = Array.from({ length: 45 }, (_, at) => ({ page: at + 1, text: 'short' }));
  const model = modelReplying(JSON.stringify(answer), requests);
  const evidence = await scorePagesWithModel(model, configuration, many, options);
  expect(evidence.map(({ page }) => page)).toEqual(many.map(({ page }) => page));
  expect(requests).toHaveLength(2);
  const sent = JSON.stringify(requests[1]!.prompt);
  expect(sent).toContain('Page 40, before these pages, has the category letter.');
  expect(sent).toContain('A cover sheet belongs to the letter after it.');
  expect(sent).not.toContain('page 40 ---');
});

it('reads only the beginning and the end of a long page', () => {
  const sample = samplePage(`start ${'x'.repeat(100_000)} end`);
  expect(sample.length).toBeLessThan(3_000);
  expect(sample).toMatch(/^start[\s\S]*end$/);
});
