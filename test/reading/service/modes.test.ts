import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
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

describe('a parse mode', () => {
  it('with a language model shows the model text without a picture', async () => {
    const { pages } = await parseWith(await uploadLedger(1), { parse_mode: 'parse_page_with_llm' });
    expect(pages[0]!.readBy!.mode).toBe('corrected');
    expect(model.asked).toMatchObject([{ picture: undefined, text: expect.stringMatching(/^Correct/) }]);
  });

  it('for documents shows the text of the neighbouring pages', async () => {
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

  it('with an agent makes a second pass that sees the first output', async () => {
    const wrong = '# Ledger 1\n\nThe ferry carried 7 crates of tin.';
    model.answer = (asked) => (asked.fenced.length === 1 ? wrong : saying(asked));
    const { pages } = await parseWith(await uploadLedger(1), { premium_mode: true });
    expect(model.asked.map(({ fenced }) => fenced[1])).toEqual([undefined, wrong]);
    expect(pages[0]).toMatchObject({
      markdown: '# Ledger 1\n\nThe ferry carried **1** crates of tin.',
      readBy: { mode: 'agentic' },
    });
  });

  it('passes the instructions of the parameters to the model', async () => {
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
