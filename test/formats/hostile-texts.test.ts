import { describe, expect, it } from 'vitest';
import { openDocument } from '#src/formats/registry.ts';
import { chunkDocument } from '#src/ingest/chunking/index.ts';
import { resolveParsePlan } from '#src/parse/plan.ts';
import { configured, plain, tools } from '#test/ingest/chunking/helpers.ts';
import { readAll } from '#test/suites/parser.suite.ts';

async function parsed(name: string, text: string): Promise<void> {
  const document = await openDocument({
    bytes: new TextEncoder().encode(text),
    name,
    plan: resolveParsePlan({}),
  });
  await readAll(document);
  document.close();
}

describe('very large texts', () => {
  it.each(['a.txt', 'a.md'])('parses %s with 20 MB of newlines', async (name) => {
    await parsed(name, `x${'\n'.repeat(20_000_000)}x`);
  });

  it('rejects a document that would produce too many chunks', async () => {
    const text = 'a few words, and more. '.repeat(90_000);
    let pauses = 0;
    let most = 0;
    let counted = 0;
    const counting = {
      ...tools,
      countTokens(part: string) {
        counted += 1;
        most = Math.max(most, counted);
        return tools.countTokens(part);
      },
      async pause() {
        pauses += 1;
        counted = 0;
      },
    };
    const config = configured({ mode: 'auto', chunk_size: 1, chunk_overlap: 0 });
    await expect(chunkDocument(plain(text), config, counting)).rejects.toMatchObject({
      reason: 'DOCUMENT_TOO_LARGE',
    });
    expect(pauses).toBeGreaterThan(100);
    // Number of pieces counted between two pauses.
    expect(most).toBeLessThan(20_000);
  });
});
