import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { type ParseParameters, parseParameters } from '#src/parse/parameters/parameters.ts';
import { planPages } from '#src/reading/plan/page-plan.ts';
import { generateMarkdown } from '#src/reading/read-page.ts';
import { resolveModel } from '#src/reading/service/model.ts';
import { parseForJob } from '#src/services/jobs/pages.ts';
import { ClaimLost } from '#src/work/held-lease.ts';
import { parseWith, saying, uploadLedger } from '#test/support/ledger.ts';
import {
  type Asked,
  contextWithModel,
  heldByNobody,
  PageModel,
  type Reply,
} from '#test/support/page-model.ts';

const model = new PageModel();
beforeEach(() => {
  model.asked.splice(0);
  model.listen();
});
afterEach(() => {
  vi.restoreAllMocks();
});

const isAboutLedger = (n: number, { fenced: [own = ''] }: Asked) => own.includes(`Ledger ${n}`);
/** Returns the given reply for one page, and reads the others. */
const failingOn =
  (n: number, reply: Reply) =>
  (asked: Asked): Reply =>
    isAboutLedger(n, asked) ? reply : saying(asked);
const vision = (further: ParseParameters = {}) => ({
  parse_mode: 'parse_page_with_lvm' as const,
  ...further,
});
const READ = '# Ledger 1\n\nThe ferry carried **1** crates of tin.';

describe('a page that the model cannot read', () => {
  it.each<[ParseParameters, string | RegExp]>([
    [{}, /^## Ledger 2\n\nThe ferry carried 2 crates of tin\.$/],
    [{ replace_failed_page_mode: 'raw_text' }, /^## Ledger 2\n\nThe ferry carried 2 crates of tin\.$/],
    [{ replace_failed_page_mode: 'blank_page' }, /^$/],
    [
      {
        replace_failed_page_mode: 'error_message',
        replace_failed_page_with_error_message_prefix: '<<',
        replace_failed_page_with_error_message_suffix: '>>',
      },
      /^<<engine_error: The model’s answer was cut off before its end\.>>$/,
    ],
  ])('is replaced according to %j', async (parameters, expected) => {
    model.answer = failingOn(2, { cut: '# Ledger 2\n\nThe fer' });
    const { pages } = await parseWith(await uploadLedger(2), vision(parameters));
    expect(pages[0]!.markdown).toBe(READ);
    expect(pages[1]!.markdown).toMatch(expected);
    expect(pages[1]!.readBy).toMatchObject({
      mode: 'layout',
      model: null,
      reason: expect.stringContaining('cut off'),
    });
  });

  it.each<[string, Reply, RegExp]>([
    ['refuses the picture', { status: 400 }, /answered 400/],
    ['writes nothing', 'NOTHING', /returned no text/],
    ['fails', { status: 500 }, /answered 500/],
  ])('is replaced if the model %s', async (_, reply, reason) => {
    model.answer = failingOn(2, reply);
    const { pages } = await parseWith(await uploadLedger(2), vision());
    expect(pages.map(({ readBy }) => readBy!.mode)).toEqual(['vision', 'layout']);
    expect(pages[1]!.readBy!.reason).toMatch(reason);
  });

  it.each<[number, ParseParameters]>([
    [1, {}],
    [2, { strict_mode_reconstruction: true }],
    [2, { page_error_tolerance: 0 }],
    [2, { page_error_tolerance: 0.4 }],
  ])('fails a document of %d pages with %j', async (count, parameters) => {
    model.answer = failingOn(1, { cut: '# Led' });
    const parsed = parseWith(await uploadLedger(count), vision(parameters));
    await expect(parsed).rejects.toMatchObject({
      retryable: false,
      message: expect.stringContaining('cut off'),
    });
  });

  it('is tolerated up to page_error_tolerance', async () => {
    model.answer = () => ({ cut: '' });
    const { pages } = await parseWith(await uploadLedger(3), vision({ page_error_tolerance: 1 }));
    expect(pages.every(({ readBy }) => readBy!.mode === 'layout')).toBe(true);
  });

  it('is read again by the next parse after an endpoint failure, and the other pages are not', async () => {
    model.answer = failingOn(2, { status: 500 });
    const fileId = await uploadLedger(2);
    await parseWith(fileId, vision());
    model.asked.splice(0);
    model.answer = saying;
    const { pages } = await parseWith(fileId, vision());
    expect(pages.map(({ readBy }) => readBy!.mode)).toEqual(['vision', 'vision']);
    expect(model.asked.map((asked) => isAboutLedger(2, asked))).toEqual([true]);
  });
});

describe('an endpoint', () => {
  it('is retried after a 429 without counting a failure', async () => {
    model.answer = (asked, n) => (n <= 4 ? { status: 429, headers: { 'retry-after': '1' } } : saying(asked));
    const { pages } = await parseWith(await uploadLedger(1), vision());
    expect(pages[0]!.markdown).toBe(READ);
    // Three attempts in one call, one more in the next call, and the successful one.
    expect(model.asked).toHaveLength(5);
  });

  it('that rejects the key fails the parse with the reason', async () => {
    model.answer = () => ({ status: 401 });
    const parsed = parseWith(await uploadLedger(3), vision({ page_error_tolerance: 1 }));
    await expect(parsed).rejects.toMatchObject({ retryable: false, message: expect.stringContaining('401') });
  });

  it('that hangs causes a retryable error after the timeout', async () => {
    model.answer = () => 'hang';
    const ctx = contextWithModel();
    const { key } = await parseWith(await uploadLedger(1), {}, ctx);
    const reader = (await resolveModel(ctx, key.projectId, planPages(vision()).base))!;
    const prompt = { system: 'Read.', text: 'This.' };
    const { signal } = new AbortController();
    await expect(generateMarkdown({ model: reader, prompt, signal, timeoutMs: 50 })).rejects.toMatchObject({
      ...{ code: 'upstream', retryable: true },
      message: expect.stringContaining('did not answer within 0.05 s'),
    });
  });

  it('that hangs does not block a parse that was cancelled', async () => {
    model.answer = () => 'hang';
    const fileId = await uploadLedger(1);
    const checkpoint = async () => {
      if (model.asked.length > 0) throw new ClaimLost();
    };
    const parsed = parseForJob(contextWithModel(), fileId, parseParameters.parse(vision()), {
      ...heldByNobody(),
      checkpoint,
    });
    await expect(parsed).rejects.toBeInstanceOf(ClaimLost);
  });
});
