import { builtin } from '#src/models/reranking/builtin.ts';
import { rerankerSuite } from '#test/suites/reranker.suite.ts';
import { modelDeps } from '#test/support/models.ts';

rerankerSuite({ name: 'built-in', open: () => builtin.open({}, modelDeps()) });
