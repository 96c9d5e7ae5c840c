import { managed } from '#src/models/embedding/managed.ts';
import { embedderSuite } from '#test/suites/embedder.suite.ts';
import { modelDeps } from '#test/support/models.ts';

embedderSuite({
  name: 'built-in',
  capabilities: managed.capabilities,
  open: ({ batch = 10 } = {}) => managed.open({ embed_batch_size: batch }, modelDeps()),
});
