import { tenancy } from '#test/suites/tenancy.ts';
import { listedOperations } from '#test/support/openapi.ts';
import { stubFetch } from '#test/support/stubbed-fetch.ts';

stubFetch();

// The operations of the other interfaces, and further owners, are in tenancy.slow.test.ts.
tenancy(await listedOperations(), 'nearest');
