import { storeLies } from '#test/suites/store-lies.ts';
import { lyingStores } from './lying-stores.ts';

for (const store of lyingStores) storeLies(store);
