import { authorisation } from '#test/suites/authorisation.ts';
import { listedOperations } from '#test/support/openapi.ts';
import { stubFetch } from '#test/support/stubbed-fetch.ts';

stubFetch();

authorisation(await listedOperations());
