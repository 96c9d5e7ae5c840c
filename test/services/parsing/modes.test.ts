import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { readPage } from '#src/parsing/page-store.ts';
import { planOf } from '#src/reading/plan.ts';
import { readWithModel } from '#src/reading/reading.ts';
import { modelOf } from '#src/services/parsing/model.ts';
import { parseWith, saying, uploadLedger } from '#test/support/ledger.ts';
import { PageModel } from '#test/support/page-model.ts';

const model = new PageModel();
beforeEach(() => {
  model.asked.splice(0);
  model.listen();
  model.answer = saying;
});
afterEach(() => {
  vi.restoreAllMocks();
});

describe('a mode', () => {
  it('that corrects shows the model the text and no picture', async () => {
    const { pages } = await parseWith(await uploadLedger(1), { parse_mode: 'parse_page_with_llm' });
    expect(pages[0]!.readBy!.mode).toBe('corrected');
    expect(model.asked).toMatchObject([{ picture: undefined, text: expect.stringMatching(/^Correct/) }]);
  });

  it('of documents shows what stands on the pages around', async () => {
    await parseWith(await uploadLedger(3), { parse_mode: 'parse_document_with_lvm' });
    const ofSecond = model.asked.find(({ fenced: [own] }) => own!.includes('Ledger 2'))!;
    expect(ofSecond.fenced.map((text) => /Ledger \d/.exec(text)![0])).toEqual([
      'Ledger 2',
      'Ledger 1',
      'Ledger 3',
    ]);
    expect(ofSecond.picture).toBeDefined();
    expect(model.asked.map(({ fenced }) => fenced.length).toSorted()).toEqual([2, 2, 3]);
  });

  it('with an agent has a second pass, which sees the first', async () => {
    model.answer = ({ fenced }) => (fenced.length === 1 ? '# Ledger one' : '# Ledger 1, repaired');
    const { pages } = await parseWith(await uploadLedger(1), { premium_mode: true });
    expect(model.asked.map(({ fenced }) => fenced.length)).toEqual([1, 2]);
    expect(model.asked[1]!.fenced[1]).toBe('# Ledger one');
    expect(pages[0]).toMatchObject({ markdown: '# Ledger 1, repaired', readBy: { mode: 'agentic' } });
  });

  it('has the instructions of the parameters reach the model', async () => {
    const parameters = {
      parse_mode: 'parse_page_with_lvm',
      system_prompt: 'You are a clerk.',
      user_prompt: 'Copy it.',
    };
    await parseWith(await uploadLedger(1), parameters as { parse_mode: 'parse_page_with_lvm' });
    expect(model.asked).toMatchObject([
      { system: expect.stringMatching(/^You are a clerk\./), text: expect.stringMatching(/^Copy it\./) },
    ]);
  });
});

describe('verification', () => {
  const LIE = 'The ferry carried gold.';
  const TRUE = 'The ferry carried 1 crates of tin.';
  /** Says of each sentence whether the page does. */
  const verify = (markdown: string) =>
    markdown === LIE
      ? { confidence: 0.2, unsupported: [{ start: 18, end: 22 }] }
      : { confidence: 1, unsupported: [] };

  async function reading(parse_mode: 'parse_page_with_lvm' | 'parse_page_with_agent', ...answers: string[]) {
    const { ctx, key } = await parseWith(await uploadLedger(1), {});
    const page = (await readPage(ctx.bucket, key, 0))!;
    const parameters = { parse_mode };
    const plan = planOf(parameters);
    model.answer = (_, n) => answers[Math.min(n, answers.length) - 1]!;
    const { signal } = new AbortController();
    const reader = (await modelOf(ctx, key.projectId, plan))!;
    return readWithModel({ model: reader, plan, parameters, page, verify, signal });
  }

  it('has a page read again that it rejects, and keeps the better one', async () => {
    expect(await reading('parse_page_with_lvm', LIE, TRUE)).toEqual({
      markdown: TRUE,
      verification: { confidence: 1, unsupported: [] },
    });
    expect(model.asked).toHaveLength(2);
    model.asked.splice(0);
    expect(await reading('parse_page_with_lvm', TRUE, LIE)).toMatchObject({ markdown: TRUE });
    expect(model.asked).toHaveLength(1);
  });

  it('uses nothing that it rejects twice', async () => {
    expect(await reading('parse_page_with_lvm', LIE)).toBeUndefined();
    expect(model.asked).toHaveLength(2);
  });

  it('tells an agent what to repair', async () => {
    expect(await reading('parse_page_with_agent', LIE, TRUE)).toMatchObject({ markdown: TRUE });
    expect(model.asked[1]!.fenced.slice(1)).toEqual([LIE, '- gold']);
  });
});
