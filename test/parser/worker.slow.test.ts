import { env } from 'cloudflare:workers';
import { expect, it, onTestFinished, vi } from 'vitest';
import { resolveParsePlan } from '#src/parse/plan.ts';
import type { ParserRequest, ParserService } from '#src/parse/service.ts';
import { buildPdf, text } from '#test/fixtures/pdf.ts';
import { PATIENCE_MS } from '#test/support/patience.ts';

const MIB = 1024 * 1024;
/** The parser Worker behind the service binding. */
const parser = env.PARSER as unknown as ParserService;

/**
 * Stores a file of one page. `size` is the file size that the request claims, which the memory admission
 * counts.
 */
async function stored(projectId: string, size: number): Promise<ParserRequest> {
  const contentHash = crypto.randomUUID();
  const storageKey = `projects/${projectId}/${contentHash}`;
  await env.FILES.put(storageKey, buildPdf({ pages: [{ content: text(72, 700, 'The only page') }] }));
  return {
    projectId,
    contentHash,
    configHash: 'h',
    storageKey,
    name: 'a.pdf',
    size,
    plan: resolveParsePlan({}),
  };
}

/** Creates callers whose `isWanted` callback stays unanswered until the test calls `answer`. */
function callers() {
  /** Names of the callers in the order in which their work ended. */
  const done: string[] = [];
  return {
    done,
    async call(name: string, projectId: string, size: number) {
      const asked = Promise.withResolvers<void>();
      const answer = Promise.withResolvers<boolean>();
      // A failing test must not keep documents of other tests out.
      onTestFinished(() => answer.resolve(false));
      const request = await stored(projectId, size);
      let timesAsked = 0;
      const work = parser.describe(request, () => {
        timesAsked += 1;
        asked.resolve();
        return answer.promise;
      });
      const ended = work.then((result) => {
        done.push(name);
        return result;
      });
      return { asked: asked.promise, timesAsked: () => timesAsked, answer: answer.resolve, ended };
    },
  };
}

const newProject = () => crypto.randomUUID();
const described = { value: expect.objectContaining({ kind: 'pdf', pageCount: 1 }) };

it('processes 64 MiB of documents at once, skips unwanted ones, and takes turns between projects', async () => {
  const [one, two] = [newProject(), newProject()];
  const { done, call } = callers();
  // An admitted document is asked before any work, and keeps its place while the answer is pending.
  const first = await call('first of one', one, 40 * MIB);
  const beside = await call('beside it', newProject(), 24 * MIB);
  await Promise.all([first.asked, beside.asked]);
  const second = await call('second of one', one, 30 * MIB);
  const other = await call('of two', two, 60 * MIB);
  const unwanted = await call('unwanted', two, 30 * MIB);
  beside.answer(true);
  expect(await beside.ended).toEqual(described);
  for (const waiting of [second, other, unwanted]) {
    await waiting.asked;
    waiting.answer(waiting !== unwanted);
  }
  // A waiting document looks for memory many times between two questions. If it were admitted, the parser
  // would ask once more and then do the work.
  const haveLookedForRoom = () => [second, other].every((waiting) => waiting.timesAsked() >= 3);
  await vi.waitUntil(() => haveLookedForRoom() || done.length > 1, { timeout: PATIENCE_MS });
  expect(done).toEqual(['beside it']);
  first.answer(true);
  expect(await Promise.all([first.ended, second.ended, other.ended])).toEqual([
    described,
    described,
    described,
  ]);
  expect(await unwanted.ended).toMatchObject({ failure: { code: 'unavailable' } });
  // An unwanted document takes no turn. It may end before or after the last one.
  expect(done).toContain('unwanted');
  expect(done.filter((name) => name !== 'unwanted')).toEqual([
    'beside it',
    'first of one',
    'of two',
    'second of one',
  ]);
});

it('asks whether the pages are still wanted before it draws them', async () => {
  const request = await stored(newProject(), MIB);
  let timesAsked = 0;
  const isWanted = async () => {
    timesAsked += 1;
    return false;
  };
  expect(await parser.drawPages(request, [0], PATIENCE_MS, isWanted)).toMatchObject({
    failure: { code: 'unavailable' },
  });
  expect(timesAsked).toBe(1);
  const { objects } = await env.FILES.list({ prefix: `projects/${request.projectId}/` });
  expect(objects.map(({ key }) => key)).toEqual([request.storageKey]);
});

it('parses a document that needs more memory than the limit for all documents', async () => {
  const projectId = newProject();
  const contentHash = crypto.randomUUID();
  const storageKey = `projects/${projectId}/${contentHash}`;
  const bytes = new TextEncoder().encode('\n'.repeat(12 * MIB));
  await env.FILES.put(storageKey, bytes);
  const request = {
    projectId,
    contentHash,
    configHash: 'h',
    storageKey,
    name: 'a.txt',
    size: bytes.length,
    plan: resolveParsePlan({}),
  };
  // The parser asks every three seconds whether a waiting document is still wanted.
  const mostAsked = PATIENCE_MS / 3_000;
  const stuck = Promise.withResolvers<'stuck'>();
  let timesAsked = 0;
  const work = parser.parseFile(request, async () => {
    timesAsked += 1;
    if (timesAsked > mostAsked) stuck.resolve('stuck');
    return true;
  });
  const answer = await Promise.race([work, stuck.promise]);
  expect(answer).toMatchObject({ failure: { reason: 'NO_DATA_FOUND_IN_FILE' } });
});
