import { tenancy } from '#test/suites/tenancy.ts';
import { clientOperations, listedOperations, openAiOperations } from '#test/support/openapi.ts';
import { stubFetch } from '#test/support/stubbed-fetch.ts';

stubFetch();

tenancy([...(await listedOperations()), ...(await clientOperations()), ...(await openAiOperations())], 'all');
