import { operationContract } from '#test/suites/operation-contract.ts';
import { clientOperations, openAiOperations } from '#test/support/openapi.ts';
import { stubFetch } from '#test/support/stubbed-fetch.ts';

stubFetch();

operationContract([...(await clientOperations()), ...(await openAiOperations())]);
