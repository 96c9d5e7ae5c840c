import { describe, expect, it } from 'vitest';
import { workersAi } from '#src/models/language/workers-ai.ts';
import { languageModelSuite } from '#test/suites/language-model.suite.ts';
import { modelDeps } from '#test/support/models.ts';
import { WORKERS_AI_MODEL, workersAiFixture } from './fixtures/workers-ai.ts';

languageModelSuite(workersAiFixture);

describe('Workers AI model', () => {
  it('throws if the binding is missing', () => {
    expect(() => workersAi.open({ model: WORKERS_AI_MODEL }, modelDeps())).toThrow('binding is missing');
  });
});
