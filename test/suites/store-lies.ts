import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { DomainError } from '#src/lib/errors.ts';
import { createLogger } from '#src/lib/log.ts';
import type { SinkDeps } from '#src/ports/sink.ts';
import { toPoints } from '#src/sinks/external/points.ts';
import type { VectorPoint, VectorStore } from '#src/sinks/external/vector-store.ts';
import { productName } from '#test/support/product-names.ts';
import { SILENCE_SECONDS, skipWaits } from '#test/support/skipped-waits.ts';
import { VendorSession } from '#test/vendors/client.ts';
import { Liar } from '#test/vendors/liar.ts';
import {
  CONTENT_LIES,
  IDLE_LIES,
  LARGE_LIES,
  type Lie,
  REDIRECT_LIES,
  WIRE_LIES,
} from '#test/vendors/lies.ts';
import type { Mount } from '#test/vendors/protocol.ts';
import { chunks, document, toDirection } from './sink/content.ts';

export interface LyingStoreFixture {
  /** Vendor type in error messages. */
  kind: string;
  vendors: Mount[];
  secret: string;
  open(deps: SinkDeps & { indexId: string }): VectorStore;
  /** Calls for which an empty object is a valid answer. */
  answeredWithNothing?: readonly string[];
}

const DIMENSION = 8;
/** Lies that are invalid for every call. */
const UNBELIEVABLE: readonly Lie[] = [...WIRE_LIES, ...LARGE_LIES, ...REDIRECT_LIES];
export const SMALL_LIES: readonly Lie[] = [...WIRE_LIES, ...REDIRECT_LIES, ...CONTENT_LIES];

const NAMES = ['upsert', 'remove', 'describe', 'lookUp', 'query'] as const;
type CallName = (typeof NAMES)[number];

/** Tests that every HTTP vector store handles invalid server answers to these calls. */
export function storeLies(
  fixture: LyingStoreFixture,
  lies: readonly Lie[],
  names: readonly CallName[] = NAMES,
): void {
  const { kind, vendors, secret, open: openWith, answeredWithNothing = [] } = fixture;

  describe(`${kind} store with invalid server answers`, () => {
    let session: VendorSession;
    let kept: VectorPoint[];
    let added: VectorPoint[];
    beforeEach(async () => {
      skipWaits();
      session = await VendorSession.open(vendors);
      vi.stubGlobal('fetch', session.fetch);
      kept = await toPoints('index', document('kept'), chunks('kept', 1, ['walrus', 'seal']));
      added = await toPoints('index', document('added'), chunks('added', 1, ['heron', 'gull']));
      const store = open();
      await store.ensure(DIMENSION);
      await store.upsert(kept);
    });
    afterEach(async () => {
      vi.unstubAllGlobals();
      const { mistakes } = await session.end();
      expect(mistakes).toEqual([]);
    });

    const open = (silence = 60) =>
      openWith({
        fetch,
        log: createLogger(),
        settings: { ALLOW_PRIVATE_ADDRESSES: true, SILENCE_SECONDS: silence },
        indexId: 'index',
      });
    const held = async (points: VectorPoint[]) => {
      const found = await open().lookUp(points);
      return points.filter(({ id }) => found.has(id)).length;
    };

    /** Calls, with a check of the state after each. */
    const CALLS: Record<
      CallName,
      { ask(store: VectorStore): Promise<unknown>; check(answer: unknown): Promise<void> }
    > = {
      upsert: {
        ask: (store) => store.upsert(added),
        check: async () => expect(await held(added)).toBe(added.length),
      },
      remove: {
        ask: (store) => store.remove([{ documentId: 'added', version: 1 }]),
        check: async () => expect(await held(added)).toBe(0),
      },
      describe: {
        ask: (store) => store.describe({ documentId: 'added', title: 'other', metadata: { year: 1 } }),
        check: async () => {},
      },
      lookUp: {
        ask: (store) => store.lookUp(kept),
        check: async (found) =>
          expect([...(found as Set<string>)].sort()).toEqual(kept.map(({ id }) => id).sort()),
      },
      query: {
        ask: (store) => store.query(toDirection('walrus'), 5),
        check: async (found) => {
          for (const { documentId, version, position, score } of found as Awaited<
            ReturnType<VectorStore['query']>
          >) {
            expect([typeof documentId, Number.isInteger(version), Number.isInteger(position)]).toEqual([
              'string',
              true,
              true,
            ]);
            expect(Math.abs(score)).toBeLessThanOrEqual(1.001);
          }
        },
      },
    };

    describe.each(lies)('%s', (lie) => {
      it.each(names)('in answer to %s', async (name) => {
        if (name === 'remove') await open().upsert(added);
        // Setup requests are already done, so the lie affects the call itself.
        const store = open(lie === 'slow bytes without end' ? SILENCE_SECONDS : 60);
        await store.lookUp(kept).catch(() => {});
        const liar = new Liar(lie);
        const honest = session.fetch;
        vi.stubGlobal('fetch', (input: RequestInfo | URL, init?: RequestInit) =>
          liar.answer(new Request(input, init), (request) => honest(request)),
        );
        const { ask, check } = CALLS[name]!;
        const outcome = await ask(store).catch((error: unknown) => error);
        vi.stubGlobal('fetch', honest);

        if (outcome instanceof Error) {
          expect(outcome).toBeInstanceOf(DomainError);
          expect(outcome.message).toContain(productName(kind));
          expect(outcome.message).not.toContain(secret);
        } else if (
          !(IDLE_LIES.includes(lie) && lie === 'an empty object' && answeredWithNothing.includes(name))
        ) {
          expect(UNBELIEVABLE).not.toContain(lie);
          await check(outcome);
        }
        expect(liar.sentElsewhere.join(' ')).not.toContain(secret);
        // Existing points are intact, and the call succeeds once the server is honest.
        expect(await held(kept)).toBe(kept.length);
        await check(await ask(open()));
      });
    });
  });
}
