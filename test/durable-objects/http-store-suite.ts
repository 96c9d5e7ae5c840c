import type { SinkDriver } from '#src/sinks/define.ts';
import { document } from '#test/suites/sink/content.ts';
import { put } from '#test/suites/sink/fixture.ts';
import { sinkSuite } from '#test/suites/sink.suite.ts';
import { useVendors } from '#test/vendors/client.ts';
import type { Fault, Mount } from '#test/vendors/protocol.ts';
import { fresh, opening } from './external-index.ts';
import { Directory } from './managed-index.ts';

interface HttpStore {
  driver: SinkDriver;
  /** The same driver wrapped by `namingNone`. */
  narrowed: SinkDriver;
  component: Record<string, unknown>;
  vendors: Mount[];
}

/** More attempts than one call makes with its retries. */
const ATTEMPTS = 8;

/** Runs the sink contract against a store that a test vendor simulates. */
export function httpStoreSuite({ driver, narrowed, component, vendors: mounts }: HttpStore): void {
  const vendors = useVendors(...mounts);
  const open = opening(driver, () => component);
  const openNarrowed = opening(narrowed, () => component);

  /** Creates an index with a document, and makes all further requests to its store fail. */
  const failing =
    (fault: Fault) =>
    async (silence = 0.3) => {
      const index = [crypto.randomUUID(), new Directory()] as const;
      await put(open(...index), document('b'), ['text']);
      await vendors.current.fail(...Array.from({ length: ATTEMPTS }, () => fault));
      return open(...index, fault.kind === 'silent' ? silence : 30);
    };
  /** Fails with a Retry-After that is too long for another attempt within the call. */
  const answering = (status: number) => failing({ kind: 'status', status, headers: { 'retry-after': '60' } });

  sinkSuite({
    kind: driver.kind,
    capabilities: driver.capabilities,
    fresh: () => fresh(open),
    preFilter: () => fresh(openNarrowed),
    failing: {
      401: answering(401),
      403: answering(403),
      404: answering(404),
      429: answering(429),
      500: answering(500),
      timeout: failing({ kind: 'silent' }),
    },
    losing: () => ({ open: fresh(open), lose: (order) => vendors.current.lose(order) }),
    withoutStore: ['remove', 'listChunks', 'chunk', 'stats'],
    keepsDimension: true,
  });
}
