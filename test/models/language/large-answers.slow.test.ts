import { expect, it } from 'vitest';
import { LANGUAGE_KINDS } from '#src/models/language/registry.ts';
import { workersAi } from '#src/models/language/workers-ai.ts';
import { type LanguageModelFixture, languageModelLies } from '#test/suites/language-model.suite.ts';
import { largeLiesFor } from '#test/vendors/lies.ts';
import { anthropicFixture } from './fixtures/anthropic.ts';
import { azureOpenaiFixture } from './fixtures/azure-openai.ts';
import { bedrockFixture } from './fixtures/bedrock.ts';
import { cohereFixture } from './fixtures/cohere.ts';
import { geminiFixture } from './fixtures/gemini.ts';
import { openaiFixture } from './fixtures/openai.ts';
import { openaiCompatibleFixture } from './fixtures/openai-compatible.ts';
import { vertexFixture } from './fixtures/vertex.ts';

const fixtures: readonly LanguageModelFixture[] = [
  anthropicFixture,
  azureOpenaiFixture,
  bedrockFixture,
  cohereFixture,
  geminiFixture,
  openaiFixture,
  openaiCompatibleFixture,
  vertexFixture,
];

for (const [index, fixture] of fixtures.entries()) languageModelLies(fixture, largeLiesFor(index));

it('fixtures cover every language model that speaks HTTP', () => {
  const kinds = new Set(fixtures.map(({ kind }) => kind));
  // Workers AI is called through a binding.
  expect([...kinds].sort()).toEqual(LANGUAGE_KINDS.filter((kind) => kind !== workersAi.kind).sort());
});
