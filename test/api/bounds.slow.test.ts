import { operationBounds } from '#test/suites/operation-bounds.ts';
import { clientOperations, listedOperations, openAiOperations } from '#test/support/openapi.ts';
import { stubFetch } from '#test/support/stubbed-fetch.ts';

const operations = await listedOperations();
const forClients = [...(await clientOperations()), ...(await openAiOperations())];

stubFetch();

operationBounds([...operations, ...forClients]);
