import { SMALL_LIES, storeLies } from '#test/suites/store-lies.ts';
import { CONTENT_LIES } from '#test/vendors/lies.ts';
import { lyingStores } from './lying-stores.ts';

// All stores share the code that handles damaged answers and redirects, so one store stands for them here. Each store
// reads the content of answers with code of its own. The rest is in damaged-answers.slow.test.ts.
const [first, ...others] = lyingStores;
storeLies(first!, SMALL_LIES);
for (const store of others) storeLies(store, CONTENT_LIES);
