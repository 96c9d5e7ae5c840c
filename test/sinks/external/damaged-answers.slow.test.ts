import { storeLies } from '#test/suites/store-lies.ts';
import { REDIRECT_LIES, WIRE_LIES } from '#test/vendors/lies.ts';
import { lyingStores } from './lying-stores.ts';

for (const store of lyingStores.slice(1)) storeLies(store, [...WIRE_LIES, ...REDIRECT_LIES]);
