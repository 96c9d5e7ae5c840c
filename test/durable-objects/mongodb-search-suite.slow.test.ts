import { sinkSuite } from '#test/suites/sink.suite.ts';
import { useMongo } from './mongodb-index.ts';

const { fixture } = useMongo({ native_search: true });
// The ledger is enough for these calls, because the document that they name has no visible version.
sinkSuite({ ...fixture, withoutStore: ['describe', 'remove', 'listChunks', 'stats'] });
