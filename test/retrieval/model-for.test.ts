import { expect, it } from 'vitest';
import { RateLimited } from '#src/lib/errors.ts';
import { modelFor } from '#src/retrieval/ports.ts';
import { modelSaying } from '#test/support/fake-model.ts';

it('is none where the model cannot be had, and the notes say why', async () => {
  const notes: Record<string, string> = {};
  const language = () => Promise.reject(new RateLimited('No tokens are left today.', 60));
  expect(await modelFor('filters', { language }, { notes })).toBeUndefined();
  expect(notes).toEqual({ filters_model: 'No tokens are left today.' });
});

it('is the one of the use', async () => {
  const notes: Record<string, string> = {};
  const model = modelSaying({});
  expect(await modelFor('routing', { language: async () => model }, { notes })).toBe(model);
  expect(notes).toEqual({});
});

it('hides no mistake of the service', async () => {
  const language = () => Promise.reject(new TypeError('not a domain error'));
  await expect(modelFor('routing', { language }, { notes: {} })).rejects.toThrow(TypeError);
});
