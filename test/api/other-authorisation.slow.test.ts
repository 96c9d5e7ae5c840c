import { authorisation } from '#test/suites/authorisation.ts';
import { clientOperations, openAiOperations } from '#test/support/openapi.ts';
import { stubFetch } from '#test/support/stubbed-fetch.ts';

stubFetch();

authorisation([...(await clientOperations()), ...(await openAiOperations())]);
