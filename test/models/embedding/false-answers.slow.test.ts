import { expect, it } from 'vitest';
import { EMBEDDING_TYPES, MANAGED_TYPE } from '#src/models/embedding/registry.ts';
import { DAMAGED_ANSWERS, type EmbedderFixture, embedderLies } from '#test/suites/embedder.suite.ts';
import { largeLiesFor } from '#test/vendors/lies.ts';
import { azureOpenaiFixture } from './fixtures/azure-openai.ts';
import { bedrockFixtures } from './fixtures/bedrock.ts';
import { cohereFixture } from './fixtures/cohere.ts';
import { geminiFixture } from './fixtures/gemini.ts';
import { huggingfaceFixture } from './fixtures/huggingface.ts';
import { openaiFixture } from './fixtures/openai.ts';
import { vertexFixtures } from './fixtures/vertex.ts';

const fixtures: readonly EmbedderFixture[] = [
  azureOpenaiFixture,
  ...bedrockFixtures,
  cohereFixture,
  geminiFixture,
  huggingfaceFixture,
  openaiFixture,
  ...vertexFixtures,
];

for (const [index, fixture] of fixtures.entries()) {
  embedderLies(fixture, [...largeLiesFor(index), ...DAMAGED_ANSWERS]);
}

it('fixtures cover every embedder that calls a vendor', () => {
  const kinds = new Set(fixtures.map(({ kind }) => kind));
  expect([...kinds].sort()).toEqual(EMBEDDING_TYPES.filter((type) => type !== MANAGED_TYPE).sort());
});
