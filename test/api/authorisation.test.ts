import { authorisation } from '#test/suites/authorisation.ts';
import { clientOperations, listedOperations, openAiOperations } from '#test/support/openapi.ts';
import { stubFetch } from '#test/support/stubbed-fetch.ts';

stubFetch();

authorisation([...(await listedOperations()), ...(await clientOperations()), ...(await openAiOperations())]);
