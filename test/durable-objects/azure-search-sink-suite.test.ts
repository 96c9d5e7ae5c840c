import azureAiSearch from '#src/sinks/azure-ai-search/azure-ai-search.ts';
import { azureSearchStore } from '#src/sinks/azure-ai-search/store.ts';
import { document } from '#test/suites/sink/content.ts';
import { put } from '#test/suites/sink/fixture.ts';
import { sinkSuite } from '#test/suites/sink.suite.ts';
import { useVendors } from '#test/vendors/client.ts';
import type { Fault } from '#test/vendors/protocol.ts';
import { fresh, namingNone, opening } from './external-index.ts';
import { Directory } from './managed-index.ts';

const ATTEMPTS = 8;
const vendors = useVendors({ vendor: 'azure-ai-search', base: 'https://search.test' });

const COMPONENT = {
  search_service_api_key: 'key-of-the-vendor',
  search_service_endpoint: 'https://search.test',
  index_name: 'shared-by-all',
};
const open = opening(azureAiSearch, () => COMPONENT);
const openNarrowed = opening(namingNone(azureAiSearch, azureSearchStore), () => COMPONENT);

/** An index with a document in it, whose store then fails so, also when it is asked again. */
const failing = (fault: Fault) => async () => {
  const index = [crypto.randomUUID(), new Directory()] as const;
  await put(open(...index), document('b'), ['text']);
  await vendors.current.fail(...Array.from({ length: ATTEMPTS }, () => fault));
  return open(...index, fault.kind === 'silent' ? 0.3 : 30);
};
/** A wait that is too long for another attempt within the call. */
const answering = (status: number) => failing({ kind: 'status', status, headers: { 'retry-after': '60' } });

sinkSuite({
  kind: azureAiSearch.kind,
  capabilities: azureAiSearch.capabilities,
  fresh: () => fresh(open),
  narrowing: () => fresh(openNarrowed),
  failing: {
    401: answering(401),
    403: answering(403),
    404: answering(404),
    429: answering(429),
    500: answering(500),
    timeout: failing({ kind: 'silent' }),
  },
  withoutStore: ['remove', 'chunksOf', 'stats'],
  keepsDimension: true,
  oneFilterIn: 5,
});
