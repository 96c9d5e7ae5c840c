import { sinkSuite } from '#test/suites/sink.suite.ts';
import { useMongo } from './mongodb-index.ts';

const { fixture, losing } = useMongo();
sinkSuite({ ...fixture, losing, withoutStore: ['remove', 'listChunks', 'chunk', 'stats'] });
