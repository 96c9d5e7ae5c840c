import { expect, it } from 'vitest';
import { RateLimited } from '#src/lib/errors.ts';
import { findModel } from '#src/retrieval/ports.ts';
import { modelSaying } from '#test/support/fake-model.ts';

it('returns undefined if the model is unavailable, and notes the reason', async () => {
  const notes: Record<string, string> = {};
  const language = () => Promise.reject(new RateLimited('No tokens are left today.', 60));
  expect(await findModel('filters', { language }, { notes })).toBeUndefined();
  expect(notes).toEqual({ filters_model: 'No tokens are left today.' });
});

it('returns the model configured for the purpose', async () => {
  const notes: Record<string, string> = {};
  const model = modelSaying({});
  expect(await findModel('routing', { language: async () => model }, { notes })).toBe(model);
  expect(notes).toEqual({});
});

it('rethrows errors that are not domain errors', async () => {
  const language = () => Promise.reject(new TypeError('not a domain error'));
  await expect(findModel('routing', { language }, { notes: {} })).rejects.toThrow(TypeError);
});
